package sides

import (
	"regexp"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/diff"
)

// TestNeitherRecorded checks that the error for two releases without a recording names both,
// in the order of the arguments.
func TestNeitherRecorded(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"v1.16", "v1.20", `by Kubernetes v1\.16\.15: it needs .*; Kubernetes v1\.20\.15 has no recording of it either$`},
		{"v1.20", "v1.16", `by Kubernetes v1\.20\.15: it needs .*; Kubernetes v1\.16\.15 has no recording of it either$`},
		{"v1.16", "v1.37", `by Kubernetes v1\.16\.15: .* Kubernetes has since v1\.30$`},
	} {
		for range 5 { // the recordings are loaded concurrently
			_, err := (&Loader{}).Compare(t.Context(), Side{Scenario: "policy-deny", Version: test.a}, Side{Scenario: "policy-deny", Version: test.b}, diff.Options{})
			if err == nil || !regexp.MustCompile(test.want).MatchString(err.Error()) {
				t.Errorf("%s and %s: got the error %v, expected %q", test.a, test.b, err, test.want)
			}
		}
	}
}
