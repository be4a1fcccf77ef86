package learner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Verify proves one exercise, or all if name is "". If live is set, it also proves live
// exercises on a server.
func (l *Learner) Verify(ctx context.Context, name string, live bool) error {
	all := l.course.Exercises()
	if name != "" {
		e, err := l.named(name)
		if err != nil {
			return err
		}
		all = []*workshop.Exercise{e}
	}
	recorded, err := versions()
	if err != nil {
		return err
	}
	verifier := &workshop.Verifier{Judge: l.judge, Versions: recorded, Exists: exists}
	var failed []error
	for _, e := range all {
		proofs, err := verifier.Verify(e)
		if err == nil && live && e.Live() {
			err = l.verifyLive(ctx, e)
		}
		if err != nil {
			failed = append(failed, err)
			fmt.Fprintf(l.out, "✗ %s\n", e.Name)
			continue
		}
		checks := 0
		for _, p := range proofs {
			checks += p.Checks
		}
		l.sayf("✓ %s (%d versions, %d checks)", e.Name, len(proofs), checks)
	}
	if err := verifier.VerifyBalance(l.course); name == "" && err != nil {
		return errors.Join(append(failed, err)...)
	}
	if err := errors.Join(failed...); err != nil {
		return message.Errorf("%d of %d exercises are not proven:\n%w", len(failed), len(all), err)
	}
	return nil
}

// versions lists the recorded versions, oldest first.
func versions() ([]string, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, info := range infos {
		all = append(all, info.K8sVersion)
	}
	return slices.Clip(all), nil
}

// exists reports whether the source of a version has a function. If it finds none and the
// source of a program is not in the cache, it returns true.
func exists(k8s, function string) (bool, error) {
	unseen := false
	for _, p := range controlplane.AllPrograms() {
		dir, err := controlplane.CachedTreeOf(p.Name, k8s, nil)
		if errors.Is(err, program.ErrNoSource) {
			unseen = true
			continue
		}
		if err != nil {
			return false, err
		}
		tree := &source.Tree{Program: p.Name, Version: k8s, Dir: dir}
		if found, err := tree.Search(function); err != nil || len(found) > 0 {
			return err == nil, err
		}
	}
	return unseen, nil
}

// verifyLive solves a live exercise on a server.
func (l *Learner) verifyLive(ctx context.Context, e *workshop.Exercise) error {
	if !e.Releases.Has(l.k8s) {
		return nil
	}
	if e.Change != nil {
		return l.verifyChange(ctx, e)
	}
	recording, err := l.replay(ctx, ownRequest(e, e.Solution.Request), "")
	if err != nil {
		return err
	}
	return l.mustPass(e, workshop.Try{Recording: recording}, true)
}

func (l *Learner) mustPass(e *workshop.Exercise, try workshop.Try, want bool) error {
	verdict, err := l.judge.Judge(e, try)
	if err == nil && verdict.Passed != want {
		err = message.Errorf("%s: on a server of Kubernetes %s: passed is %v, expected %v (%s)", e.File, l.k8s, verdict.Passed, want, verdict.Reply.String())
	}
	return err
}

// verifyChange solves an exercise with its edits, in a folder that is not the user's.
// Then it checks the replies to the exercise's wrong changes.
func (l *Learner) verifyChange(ctx context.Context, e *workshop.Exercise) error {
	recording, err := l.replayEdits(ctx, e, e.Solution.Edits)
	if err != nil {
		return err
	}
	if err := l.mustPass(e, workshop.Try{Recording: recording}, true); err != nil {
		return err
	}
	for i, w := range e.Wrong {
		if len(w.Edits) == 0 || !w.Releases.Has(l.k8s) {
			continue
		}
		if recording, err = l.replayEdits(ctx, e, w.Edits); err != nil {
			return err
		}
		verdict, err := l.judge.Judge(e, workshop.Try{Recording: recording})
		if err != nil {
			return err
		}
		if got := verdict.Reply.String(); verdict.Passed || got != w.Reply.En {
			bad := message.Errorf("wrong %d, %q: it gets another reply: %s", i+1, w.Edits[0].New, got)
			return message.Errorf("%s: %w", e.File, bad)
		}
	}
	return nil
}

// replayEdits replays the scenario of an exercise on a server with edits, made in a
// folder that is not the user's.
func (l *Learner) replayEdits(ctx context.Context, e *workshop.Exercise, edits []workshop.Replacement) (recording *trace.Recording, err error) {
	dir, err := program.NewRunDir()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := l.apply(ctx, e, edits, program.Edits{Dir: dir.Path, Version: l.k8s}); err != nil {
		return nil, err
	}
	return l.replayChanged(ctx, e, dir.Path)
}

// apply applies replacements to the file of an exercise.
func (l *Learner) apply(ctx context.Context, e *workshop.Exercise, replacements []workshop.Replacement, edits program.Edits) error {
	edit, err := apiserver.AddEdit(ctx, edits, e.Change.File, apiserver.BuildOptions{Version: l.k8s})
	if err != nil {
		return err
	}
	text, err := e.Edited(string(edit.Text), replacements)
	if err != nil {
		return err
	}
	return os.WriteFile(edit.Path, []byte(text), 0o600)
}
