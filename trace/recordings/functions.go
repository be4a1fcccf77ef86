package recordings

import (
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Function is a function that was called in a release.
type Function struct {
	Name, Process, File string
	Line                int
	// Scenarios are the scenarios that call the function, sorted.
	Scenarios []string
}

// Functions lists the functions that the recordings of a release call, in order
// of their first occurrence. It reads far less than All does. A function of several
// programs is listed once, with its place in kube-apiserver, or else in the first program.
func Functions(k8sVersion string) ([]Function, error) {
	a, err := find(k8sVersion)
	if err != nil {
		return nil, err
	}
	shared, err := a.shared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sharedFile, err)
	}
	called, err := a.called()
	if err != nil {
		return nil, err
	}
	var all []Function
	index := map[string]int{}
	for i, scenario := range a.Scenarios {
		for _, n := range called[i] {
			p := shared.places.all[n]
			at, known := index[p.Function]
			if !known {
				at = len(all)
				index[p.Function] = at
				all = append(all, Function{Name: p.Function, Process: p.Process, File: p.File, Line: p.Line})
			}
			f := &all[at]
			if f.Process != trace.ProcessAPIServer && p.Process == trace.ProcessAPIServer {
				f.Process, f.File, f.Line = p.Process, p.File, p.Line
			}
			if last := len(f.Scenarios) - 1; last < 0 || f.Scenarios[last] != scenario {
				f.Scenarios = append(f.Scenarios, scenario)
			}
		}
	}
	return all, nil
}

// placesOfAll returns, for each recording of the archive, the shared places of
// the functions that it calls. The recordings are in the order of Scenarios.
func (a *archive) placesOfAll() ([][]uint32, error) {
	shared, err := a.shared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sharedFile, err)
	}
	called := make([][]uint32, len(a.Scenarios))
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for i, scenario := range a.Scenarios {
		reading.Go(func() error {
			var err error
			called[i], err = a.placesOf(scenario, shared)
			return err
		})
	}
	return called, reading.Wait()
}

// placesOf returns the shared places of the functions that a recording calls.
// Each is listed once, in order of the first call.
func (a *archive) placesOf(scenario string, s *shared) ([]uint32, error) {
	name := scenarioFile(scenario)
	packed, err := a.read(name)
	if err != nil {
		return nil, err
	}
	c, err := columns.Open(packed, s.common)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	seen := make([]bool, len(s.places.all))
	var called []uint32
	for n := range c.Numbers(placeColumn) {
		if n >= uint64(len(seen)) {
			c.Fail(unknownPlace(n, len(seen)))
			break
		}
		if !seen[n] {
			seen[n], called = true, append(called, uint32(n))
		}
	}
	if c.Err() != nil {
		return nil, fmt.Errorf("%s: %w", name, c.Err())
	}
	return called, nil
}

func unknownPlace(n uint64, places int) error {
	return fmt.Errorf("a call names place %d of %d", n, places)
}
