package learner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Watch judges the answer to the current exercise, and to the exercises after it,
// whenever the answer changes.
func (l *Learner) Watch(ctx context.Context) error {
	if err := l.mustHaveExercises(); err != nil {
		return err
	}
	e, err := l.current()
	if err != nil || l.progress.Of(e).Passed {
		e, err = l.following(false)
	}
	for ; e != nil && err == nil; e, err = l.following(false) {
		if err := l.start(ctx, e); err != nil {
			return err
		}
		if err := l.watchOne(ctx, e); err != nil {
			return err
		}
		fmt.Fprintln(l.out)
		l.markdown(e.Debrief)
		fmt.Fprintln(l.out)
	}
	if err == nil {
		l.sayAllPassed()
	}
	return err
}

// watchOne says where to write the answer, and judges each change of the answer until the
// exercise is passed. It begins to watch before it says so, because the learner may answer
// at once.
func (l *Learner) watchOne(ctx context.Context, e *workshop.Exercise) (err error) {
	folders, err := l.watched(e)
	if err != nil {
		return err
	}
	changes, err := watchFolders(folders...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, changes.close()) }()
	seen, err := l.relevant(e)
	if e.Change == nil {
		l.sayf("\nwrite your answer to %s", l.answerFile(e))
	}
	for err == nil {
		if err := changes.next(ctx); err != nil {
			return err
		}
		var now string
		if now, err = l.relevant(e); err != nil || now == seen {
			continue
		}
		seen = now
		passed, err := l.check(ctx, e, nil, &scenarios.TypedRequest{})
		if passed {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			// The answer may be incomplete, or not compile: the learner continues.
			l.reporter.Notice("%v", err)
		}
	}
	return err
}

// watched lists the folders that an answer depends on.
func (l *Learner) watched(e *workshop.Exercise) ([]string, error) {
	answers := filepath.Dir(l.answerFile(e))
	if !e.Live() {
		return []string{answers}, nil
	}
	edits, err := session.Edits{}.Dir()
	if err != nil {
		return nil, err
	}
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, err
	}
	return []string{answers, edits, apiserver.ServedDir(cache)}, nil
}

// relevant returns a text that changes whenever the answer may change. It is the
// content of the answer file. For a live exercise, it also has the sizes and times of
// the edits and of the files of running servers.
func (l *Learner) relevant(e *workshop.Exercise) (string, error) {
	answer, err := l.readAnswerFile(e)
	if err != nil || !e.Live() {
		return answer, err
	}
	folders, err := l.watched(e)
	if err != nil {
		return "", err
	}
	for at, dir := range folders[1:] {
		edits := at == 0
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			// Editors keep files of their own in the folder of the edits.
			if err != nil || d.IsDir() || edits && filepath.Ext(file) != ".go" {
				return err
			}
			info, err := d.Info()
			if err == nil {
				answer += fmt.Sprintf("\n%s %d %s", file, info.Size(), info.ModTime())
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return answer, nil
}
