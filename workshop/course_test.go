package workshop

import (
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/recordings"
)

// recorded is a judge who asks the recordings that come with apitrace.
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

// TestCourse proves every exercise for every recorded version: it fails unsolved, passes
// with its solution, and each listed wrong answer gets its reply.
func TestCourse(t *testing.T) {
	judge, versions := recorded(t)
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	verifier := &Verifier{Judge: judge, Versions: versions}
	for _, e := range course.Exercises() {
		t.Run(e.Name, func(t *testing.T) {
			proofs, err := verifier.Verify(e)
			if err != nil {
				t.Error(err)
			}
			for _, p := range proofs {
				t.Logf("Kubernetes %s: %d checks, right is %q", p.K8s, p.Checks, p.Solution)
			}
		})
	}
}

// maxCheck is how long a check from a recording may take. What is measured is the time of the
// processors: how long a person waits for it depends on what else the machine does.
const maxCheck = 300 * time.Millisecond

// TestChecksAreFast judges each exercise from nothing, the loading of its recordings included.
func TestChecksAreFast(t *testing.T) {
	judge, _ := recorded(t)
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range course.Exercises() {
		if has, err := e.ToBeHad(judge.K8s); err != nil || !has || e.Live() {
			continue
		}
		took := time.Hour
		for range 3 { // The first pays for what is made once, such as the pages of the heap.
			took = min(took, processorTime(t, func() error {
				_, err := judge.Judge(e, Try{Text: e.solutions()[0]})
				return err
			}))
		}
		if took > maxCheck {
			t.Errorf("the check of %s took %s, more than %s", e.Name, took, maxCheck)
		}
	}
}

func processorTime(t *testing.T, do func() error) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := used()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return used() - before
}

// BenchmarkCheck judges one answer, the loading of the recording included.
func BenchmarkCheck(b *testing.B) {
	judge, _ := recorded(b)
	course, err := Open("")
	if err != nil {
		b.Fatal(err)
	}
	e, err := course.Find("last-stop-before-etcd")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := judge.Judge(e, Try{Text: e.solutions()[0]}); err != nil {
			b.Fatal(err)
		}
	}
}
