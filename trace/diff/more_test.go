package diff

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestPackagesThatTheIndexDoesNotKnow compares recordings where only B calls
// k8s.io/q.F. B traces its package only because --trace named it. The reason
// for the difference is known only if A does not trace the package.
func TestPackagesThatTheIndexDoesNotKnow(t *testing.T) {
	code := recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: {Functions: []recordings.Source{
		{Name: "p.Serve", Calls: []recordings.SourceCall{{Name: "k8s.io/q.F", Line: 1}}},
	}}})
	for edition, want := range map[string]Why{"": OtherPlace, "0123456789ab": OtherPlace, "0123456789ab k8s.io/q": NoReason, "0123456789ab k8s.io/...": NoReason} {
		a, b := recorded(), recorded("k8s.io/q.F")
		a.Edition = edition
		f := NewReasonsOf(code, code)
		f.a.more = a.HasMore
		d := CompareRecordings(a, b, Options{}).Requests[0].Diff
		if len(d.Changes) != 1 {
			t.Fatalf("got %d changes, expected one: %+v", len(d.Changes), d.Changes)
		}
		if got := f.Of(d, d.Changes[0]); got.Why != want {
			t.Errorf("edition %q of A: got the reason %q, expected %q", edition, got.Why, want)
		}
	}
}
