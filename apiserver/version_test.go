package apiserver

import (
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for _, test := range []struct{ in, want, err string }{
		{"", DefaultVersion, ""},
		{"v1.37.1", "v1.37.1", ""},
		{"1.37.1", "v1.37.1", ""},
		{"v1.26.15", "v1.26.15", ""},
		{"v1.37.0-rc.1", "v1.37.0-rc.1", ""},
		{"v1.25.16", "", "outside of what this apitrace can trace, v1.26 to v1.37"},
		{"v1.38.0", "", "outside of what this apitrace can trace, v1.26 to v1.37"},
		{"v2.30.0", "", "outside"},
		{"v1.37", "", `lacks its patch number: expected one like "v1.37.0"`},
		{"latest", "", `"latest" is not a Kubernetes version`},
		{"v1.37.1+k3s1", "", "is not a Kubernetes version"},
		{"vv1.37.1", "", "is not a Kubernetes version"},
		{"../v1.37.1", "", "is not a Kubernetes version"},
	} {
		got, err := ParseVersion(test.in)
		if test.err == "" && (err != nil || got != test.want) {
			t.Errorf("ParseVersion(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
		if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("ParseVersion(%q) = %q, %v, want an error with %q", test.in, got, err, test.err)
		}
	}
}
