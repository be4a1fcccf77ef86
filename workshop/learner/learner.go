// Package learner lets a learner work on the course of package workshop. It has the
// questions, replies and progress, and the folder with answers and traces. Commands and
// the page call it. Package workshop judges the answers.
package learner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

// Options set the state and the environment of a learner.
type Options struct {
	// Lang is the language of the texts: "en" or "zh".
	Lang string
	// LangChosen is set if a flag chose Lang. Suggested commands then need it.
	LangChosen bool
	// K8s is the version of Kubernetes, in a form that session.RecordedRelease accepts.
	// The recordings of this version judge the answers.
	K8s string
	// Course is the folder of a course; "" is the course that comes with apitrace.
	Course string
	// Out receives results.
	Out io.Writer
	// Columns is the width of Out in columns; 0 if it is not a terminal.
	Columns int
	// Colour enables the escape sequences of a terminal.
	Colour bool
	// Reporter receives notices and the progress of builds.
	Reporter session.Reporter
}

// A Learner works on a course.
type Learner struct {
	out      io.Writer
	columns  int
	colour   bool
	reporter session.Reporter
	lang     string
	p        message.Printer // of lang
	k8s      string
	chosen   chosen
	dir      string // the folder of state and answers
	course   *workshop.Course
	state    *workshop.State
	progress *workshop.Progress
	judge    workshop.Judge
}

// Open reads the course and the learner's progress.
func Open(ctx context.Context, o Options) (_ *Learner, err error) {
	l := &Learner{out: o.Out, columns: o.Columns, colour: o.Colour, reporter: o.Reporter, lang: o.Lang, p: message.For(o.Lang)}
	if l.k8s, err = session.RecordedRelease(o.K8s); err != nil {
		return nil, err
	}
	if l.chosen, err = chosenBy(o, l.k8s); err != nil {
		return nil, err
	}
	var both errgroup.Group // takes a third less time than reading one after the other
	both.Go(func() (err error) {
		l.course, err = workshop.Open(o.Course)
		return err
	})
	both.Go(func() (err error) {
		l.judge, err = NewJudge(l.k8s)
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	if l.dir, err = program.StateDir(); err != nil {
		return nil, err
	}
	l.state = &workshop.State{
		Path: filepath.Join(l.dir, "workshop.jsonl"),
		Warn: func(damage message.Message) { l.reporter.Notice("%s", damage) },
	}
	return l, l.load(ctx)
}

// NewJudge returns a judge with the embedded recordings of a Kubernetes version.
func NewJudge(k8s string) (workshop.Judge, error) {
	guide, err := instrument.Load()
	if err != nil {
		return workshop.Judge{}, err
	}
	return workshop.Judge{Recordings: recordings.Load, Layer: guide.Lookup().Layer, K8s: k8s}, nil
}

// load sums up the events of the state file.
func (l *Learner) load(ctx context.Context) error {
	events, err := l.state.Read(ctx)
	if err != nil {
		return err
	}
	l.progress = workshop.NewProgress(l.course.Renamed(events))
	return nil
}

// record records an action on an exercise; nil stands for all exercises.
func (l *Learner) record(ctx context.Context, e *workshop.Exercise, did workshop.Action, answer string) error {
	event := workshop.Event{Did: did, Answer: answer}
	if e != nil {
		event.Exercise = e.Name
	}
	if did == workshop.Passed || did == workshop.Tried {
		event.K8s = l.k8s
	}
	if err := l.state.Add(ctx, event); err != nil {
		return err
	}
	group.RequestSend(l.dir)
	return l.load(ctx)
}

// sayf prints a message and a line break. It adds the learner's flags to commands in
// the message.
func (l *Learner) sayf(format string, args ...any) {
	fmt.Fprintln(l.out, l.chosen.in(l.p.Sprintf(format, args...)))
}

// current returns the exercise that the learner started last.
func (l *Learner) current() (*workshop.Exercise, error) {
	for _, e := range l.course.Exercises() {
		if e.Name == l.progress.Current {
			return e, nil
		}
	}
	return nil, message.NewError("no exercise is started: begin with \"apitrace workshop next\"")
}

// named returns the exercise with a name or number. "" is the current exercise.
func (l *Learner) named(name string) (*workshop.Exercise, error) {
	if name == "" {
		return l.current()
	}
	e, err := l.course.Find(name)
	if unknown := new(workshop.UnknownError); errors.As(err, &unknown) {
		return nil, message.ToUsageError(unknown)
	}
	return e, err
}
