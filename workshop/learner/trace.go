package learner

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Recording returns the recording of the current exercise, or another one of its
// recordings by name.
//
// spoils is set if the heading of the recording's tree gives the answer away before the
// exercise is passed. The heading names the functions that made or changed the error of
// a failed request.
func (l *Learner) Recording(which string) (recording *trace.Recording, spoils bool, err error) {
	e, err := l.current()
	if err != nil {
		return nil, false, err
	}
	if recording, err = l.asked(e, which); err != nil {
		return nil, false, err
	}
	spoils, err = l.spoils(e, recording)
	return recording, spoils, err
}

func (l *Learner) spoils(e *workshop.Exercise, recording *trace.Recording) (bool, error) {
	if e.Kind() != workshop.KindFind || l.progress.Of(e).Passed {
		return false, nil
	}
	guide, err := instrument.Load()
	if err != nil {
		return false, err
	}
	var named []string
	for i := range recording.Requests {
		r := &recording.Requests[i]
		if path := view.ErrorPathOf(trace.TreeOfValid(r), guide.Lookup()); path != nil {
			for _, step := range path.Steps {
				named = append(named, r.Calls[step.Call].ShortName())
			}
		}
	}
	if len(named) == 0 {
		return false, nil
	}
	right, err := l.judge.Right(e)
	return slices.ContainsFunc(right, func(name string) bool { return slices.Contains(named, name) }), err
}

// asked returns the recording that an exercise asks about. For a live exercise, it is
// the recording of the last answer.
func (l *Learner) asked(e *workshop.Exercise, which string) (*trace.Recording, error) {
	source := workshop.Source{Scenario: e.Scenario}
	if which != "" {
		var ok bool
		if source, ok = e.Also[which]; !ok {
			return nil, noRecording(e, which)
		}
	} else if e.Live() {
		recording, err := trace.Load(l.traceFile(e))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, message.UsageErrorf("this exercise is about a trace of your own: \"apitrace workshop check\" makes it")
		}
		if errors.As(err, new(*trace.CutError)) { // the rest of the recording is usable
			l.reporter.Notice("%v", err)
			err = nil
		}
		return recording, err
	}
	return recordings.Load(cmp.Or(source.K8s, l.k8s), source.Scenario)
}

// noRecording returns the error that an exercise has no such further recording.
func noRecording(e *workshop.Exercise, which string) error {
	if len(e.Also) == 0 {
		return message.UsageErrorf("this exercise has no recording %q: it has only one, so leave --which out", which)
	}
	return message.UsageErrorf("this exercise has no recording %q: expected one of %q", which, slices.Sorted(maps.Keys(e.Also)))
}
