package diff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTimes(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{
			"slower by itself; its caller only waits",
			"p.A ns=100\n p.B ns=90\n  p.C ns=10",
			"p.A ns=150\n p.B ns=140\n  p.C ns=60",
			"timing p.C 10 -> 60",
		},
		{"faster", "p.A ns=100\n p.B ns=50", "p.A ns=60\n p.B ns=10", "timing p.B 50 -> 10"},
		{"not twice as long", "p.A ns=100\n p.B ns=40", "p.A ns=130\n p.B ns=70", ""},
		{"too small a part of the request", "p.A ns=1000\n p.B ns=1", "p.A ns=1000\n p.B ns=40", ""},
		{"the duration was recorded on one side only", "p.A ns=100\n p.B ns=60", "p.A ns=100\n p.B leaf", ""},
		{"the error was recorded on one side only", "p.A ns=100\n p.B ns=60 error=lost", "p.A ns=100\n p.B leaf", ""},
		{
			"a new callee takes over the work",
			"p.A ns=100\n p.B ns=50",
			"p.A ns=100\n p.B ns=50\n  p.New ns=45",
			"added p.New",
		},
		{
			"a call with another difference is not reported as timed",
			"p.A ns=100\n p.B ns=10 apitrace.media_type=x",
			"p.A ns=190\n p.B ns=90 apitrace.media_type=y",
			"value p.B apitrace.media_type: x -> y",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := treeOf(t, test.a), treeOf(t, test.b)
			d := compare(a, b, Options{Times: true})
			if diff := cmp.Diff(test.want, changesText(d)); diff != "" {
				t.Errorf("changes, -want +got:\n%s", diff)
			}
			back := compare(b, a, Options{Times: true})
			if diff := cmp.Diff(sorted(d.Changes), sorted(mirrorAll(back.Changes))); diff != "" {
				t.Errorf("compare(b, a) finds other changes than compare(a, b): -compare(a, b) +compare(b, a)\n%s", diff)
			}
			withoutTimes := compare(a, b, Options{})
			if d.Same() != withoutTimes.Same() {
				t.Errorf("Same() = %v with Options.Times, but %v without: expected equal results", d.Same(), withoutTimes.Same())
			}
		})
	}
}
