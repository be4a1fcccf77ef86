package learner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Recording is that of the current exercise, or another one of its recordings.
func (l *Learner) Recording(which string) (*trace.Recording, error) {
	e, err := l.current()
	if err != nil {
		return nil, err
	}
	return l.asked(e, which)
}

// asked is the recording that an exercise asks about: of a live one, what it was judged by last.
func (l *Learner) asked(e *workshop.Exercise, which string) (*trace.Recording, error) {
	source := workshop.Source{Scenario: e.Scenario}
	if which != "" {
		var ok bool
		if source, ok = e.Also[which]; !ok {
			return nil, usage.Errorf("this exercise has no recording %q%s", which, others(e))
		}
	} else if e.Live() {
		recording, err := trace.Load(l.traceFile(e))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usage.Errorf("this exercise is about a trace of your own: \"apitrace workshop check\" makes it")
		}
		if errors.As(err, new(*trace.CutError)) { // what is left of it is as good
			l.reporter.Notice("%v", err)
			err = nil
		}
		return recording, err
	}
	return recordings.Load(cmp.Or(source.K8s, l.k8s), source.Scenario)
}

// others names the further recordings of an exercise.
func others(e *workshop.Exercise) string {
	if len(e.Also) == 0 {
		return ": it asks about one alone"
	}
	return fmt.Sprintf(": expected one of %q", slices.Sorted(maps.Keys(e.Also)))
}
