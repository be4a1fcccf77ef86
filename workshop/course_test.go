package workshop

import (
	"errors"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recorded returns a judge with the recordings of apitrace, and the recorded versions,
// oldest first.
func recorded(t testing.TB) (Judge, []string) {
	t.Helper()
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	infos, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, info := range infos {
		versions = append(versions, info.K8sVersion)
	}
	return Judge{Recordings: recordings.Load, Layer: guide.Lookup().Layer, K8s: versions[len(versions)-1]}, versions
}

// TestCourse proves every exercise for recorded releases: it fails unsolved, passes
// with its solution, and each listed wrong answer gets its reply.
func TestCourse(t *testing.T) { verifyCourse(t, false) }

func TestSlowCourse(t *testing.T) {
	testenv.Slow(t)
	verifyCourse(t, true)
}

// verifyCourse verifies the course for the releases that the test covers. If between is
// set, an exercise may be available for none of them, because TestCourse has proved it
// for the oldest or the newest release.
func verifyCourse(t *testing.T, between bool) {
	judge, versions := recorded(t)
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	versions = slices.DeleteFunc(versions, func(k8s string) bool {
		return !slices.ContainsFunc(course.Exercises(), func(e *Exercise) bool { return e.Releases.Has(k8s) })
	})
	verifier := &Verifier{Judge: judge, Versions: testenv.Releases(t, versions)}
	for _, e := range course.Exercises() {
		t.Run(e.Name, func(t *testing.T) {
			proofs, err := verifier.Verify(e)
			if between && errors.Is(err, errHoldsForNone) {
				t.Skip("available for none of the releases in between")
			}
			if err != nil {
				t.Error(err)
			}
			for _, p := range proofs {
				t.Logf("Kubernetes %s: %d checks, the right answers are %q", p.K8s, p.Checks, p.Solution)
			}
		})
	}
}

// BenchmarkCheck judges the solution of each exercise that needs no server. It includes
// loading the recordings, because a learner waits for that, too.
func BenchmarkCheck(b *testing.B) {
	judge, _ := recorded(b)
	course, err := Open("")
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range course.Exercises() {
		if e.Live() {
			continue
		}
		b.Run(e.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := judge.Judge(e, Try{Text: e.solutions()[0]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
