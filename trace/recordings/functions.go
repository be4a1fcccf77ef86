package recordings

import (
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// A Function is one that was called in a release, under its full name, with where it stands.
type Function struct {
	Name, Process, File string
	Line                int
	// Scenarios are those in which it is called, sorted.
	Scenarios []string
}

// Functions lists the functions that the recordings of a release call, in the order in which
// they are met first. It reads far less than All does. A function that two programs have is listed once, as the
// first of them has it.
func Functions(k8sVersion string) ([]Function, error) {
	a, err := find(k8sVersion)
	if err != nil {
		return nil, err
	}
	shared, err := a.shared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sharedFile, err)
	}
	called := make([][]uint64, len(a.Scenarios))
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for i, scenario := range a.Scenarios {
		reading.Go(func() error {
			var err error
			called[i], err = a.placesOf(scenario, shared)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
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
			if last := len(f.Scenarios) - 1; last < 0 || f.Scenarios[last] != scenario {
				f.Scenarios = append(f.Scenarios, scenario)
			}
		}
	}
	return all, nil
}

// placesOf returns which of the shared places a recording's calls are made in, each once, in order.
func (a *archive) placesOf(scenario string, s *shared) ([]uint64, error) {
	name := scenarioFile(scenario)
	packed, err := a.read(name)
	if err != nil {
		return nil, err
	}
	cols, err := unpack(packed, s.common)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	seen := make([]bool, len(s.places.all))
	var called []uint64
	for col := cols.get(placeColumn); len(col.data) > 0; {
		n, err := col.uint()
		if err == nil && n >= uint64(len(seen)) {
			err = unknownPlace(n, len(seen))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !seen[n] {
			seen[n], called = true, append(called, n)
		}
	}
	return called, nil
}

func unknownPlace(n uint64, places int) error {
	return fmt.Errorf("a call names place %d of %d", n, places)
}
