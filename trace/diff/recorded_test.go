package diff

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestLawsOfRecordings checks, on real requests in two releases, that the script
// turns the first trace into the second, and that the reverse comparison is the
// mirror image.
func TestLawsOfRecordings(t *testing.T) {
	for _, scenario := range []string{"get-node", "list-paged", "create-deployment", "apply-configmap", "watch-pods", "get-unauthenticated"} {
		t.Run(scenario, func(t *testing.T) {
			a, err := recordings.Load("v1.30.4", scenario)
			if err != nil {
				t.Fatal(err)
			}
			b, err := recordings.Load("v1.37.1", scenario)
			if err != nil {
				t.Fatal(err)
			}
			c := CompareRecordings(a, b, Options{})
			if len(c.Requests) != len(a.Requests) || len(c.Requests) != len(b.Requests) {
				t.Fatalf("got %d pairs for %d and %d requests, expected all to be paired", len(c.Requests), len(a.Requests), len(b.Requests))
			}
			for _, pair := range c.Requests {
				d := pair.Diff
				checkLaws(t, d.A, d.B)
				same := 0
				for _, j := range d.InB {
					if j != None {
						same++
					}
				}
				if same*10 < d.A.Len()*8 {
					t.Errorf("%s %s: %d of %d calls have a partner, expected at least 80%%", pair.A.Method, pair.A.Path, same, d.A.Len())
				}
			}
		})
	}
}
