package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// A learner is somebody at work on a course.
type learner struct {
	std      *streams
	lang     string
	k8s      string
	dir      string // where state and answers are
	course   *workshop.Course
	state    *workshop.State
	progress *workshop.Progress
	judge    workshop.Judge
}

func (o *workshopOptions) open(ctx context.Context, std *streams) (*learner, error) {
	lang, err := language(o.lang)
	if err != nil {
		return nil, err
	}
	l := &learner{std: std, lang: lang}
	if l.k8s, err = recordings.Resolve(o.k8s); err != nil {
		return nil, &usageError{err: err}
	}
	if l.course, err = workshop.Open(o.course); err != nil {
		return nil, err
	}
	if l.judge, err = newJudge(l.k8s); err != nil {
		return nil, err
	}
	if l.dir, err = program.StateDir(); err != nil {
		return nil, err
	}
	l.state = &workshop.State{
		Path: filepath.Join(l.dir, "workshop.jsonl"),
		Warn: func(t workshop.Text) { std.notice("%s", t.In(lang)) },
	}
	return l, l.load(ctx)
}

func newJudge(k8s string) (workshop.Judge, error) {
	guide, err := instrument.Load()
	if err != nil {
		return workshop.Judge{}, err
	}
	return workshop.Judge{Recordings: recordings.Load, Layer: guide.Lookup().Layer, K8s: k8s}, nil
}

// load adds up what the state file has.
func (l *learner) load(ctx context.Context) error {
	events, err := l.state.Read(ctx)
	if err != nil {
		return err
	}
	l.progress = workshop.NewProgress(events)
	return nil
}

// record writes down what was done of an exercise; nil stands for all.
func (l *learner) record(ctx context.Context, e *workshop.Exercise, did workshop.Deed, answer string) error {
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
	return l.load(ctx)
}

// in returns the text in the learner's language.
func (l *learner) in(en, zh string) string { return workshop.Text{En: en, Zh: zh}.In(l.lang) }

// say prints a line.
func (l *learner) say(en, zh string, args ...any) {
	fmt.Fprintf(l.std.out, l.in(en, zh)+"\n", args...)
}

// current returns the exercise that was started last.
func (l *learner) current() (*workshop.Exercise, error) {
	for _, e := range l.course.Exercises() {
		if e.Name == l.progress.Current {
			return e, nil
		}
	}
	return nil, errors.New(l.in("no exercise is started: begin with \"apitrace workshop next\"", "还没有开始任何练习：请先运行 \"apitrace workshop next\""))
}

// named returns the exercise of a name or number; without one, the current exercise.
func (l *learner) named(name string) (*workshop.Exercise, error) {
	if name == "" {
		return l.current()
	}
	e, err := l.course.Find(name)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return e, nil
}
