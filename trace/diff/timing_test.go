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
		{"no part of the request to speak of", "p.A ns=1000\n p.B ns=1", "p.A ns=1000\n p.B ns=40", ""},
		{"its duration was recorded on one side", "p.A ns=100\n p.B ns=60", "p.A ns=100\n p.B leaf", ""},
		{"how it ended was recorded on one side", "p.A ns=100\n p.B ns=60 error=lost", "p.A ns=100\n p.B leaf", ""},
		{
			"what it did itself, another call does now",
			"p.A ns=100\n p.B ns=50",
			"p.A ns=100\n p.B ns=50\n  p.New ns=45",
			"added p.New",
		},
		{
			"what differs otherwise is told as that",
			"p.A ns=100\n p.B ns=10 apitrace.media_type=x",
			"p.A ns=190\n p.B ns=90 apitrace.media_type=y",
			"value p.B apitrace.media_type: x -> y",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := treeOf(t, test.a), treeOf(t, test.b)
			d := compare(a, b, Options{Times: true})
			if diff := cmp.Diff(test.want, told(d)); diff != "" {
				t.Errorf("changes, -want +got:\n%s", diff)
			}
			back := compare(b, a, Options{Times: true})
			if diff := cmp.Diff(sorted(d.Changes), sorted(mirrorAll(back.Changes))); diff != "" {
				t.Errorf("the other way round other changes are found: -there +back\n%s", diff)
			}
			onlyTimes := compare(a, b, Options{})
			if d.Same() != onlyTimes.Same() {
				t.Errorf("the same path: %v, but %v if times are not asked for", d.Same(), onlyTimes.Same())
			}
		})
	}
}
