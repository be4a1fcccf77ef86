package learner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/workshop"
)

// watchInterval is how often watch looks: seldom enough to cost nothing, often enough to feel at once.
const watchInterval = 300 * time.Millisecond

// Watch judges the answer to the current exercise and to those behind it, whenever it changes.
func (l *Learner) Watch(ctx context.Context) error {
	e, err := l.current()
	if err != nil || l.progress.Of(e).Passed {
		e, err = l.following(false)
	}
	for ; e != nil && err == nil; e, err = l.following(false) {
		if err := l.start(ctx, e); err != nil {
			return err
		}
		if e.Change == nil {
			l.say("\nwrite your answer to %s", "\n请把答案写到 %s", l.answerFile(e))
		}
		if err := l.watchOne(ctx, e); err != nil {
			return err
		}
		fmt.Fprintln(l.out)
		l.markdown(e.Debrief)
		fmt.Fprintln(l.out)
	}
	if err == nil {
		l.say("All exercises are passed.", "全部练习都已通过。")
	}
	return err
}

// watchOne judges whenever something changes, until the exercise is passed.
func (l *Learner) watchOne(ctx context.Context, e *workshop.Exercise) error {
	seen, err := l.relevant(e)
	for err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchInterval):
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
			// Half an answer, or a change that does not compile: the learner goes on.
			l.notice("%v", err)
		}
	}
	return err
}

// relevant describes, in a text to compare, all that an answer depends on.
func (l *Learner) relevant(e *workshop.Exercise) (string, error) {
	answer, err := l.readAnswerFile(e)
	if err != nil || !e.Live() {
		return answer, err
	}
	edits, err := l.server.EditsDir()
	if err != nil {
		return "", err
	}
	cache, err := program.OpenCache("")
	if err != nil {
		return "", err
	}
	for _, dir := range []string{edits, filepath.Join(cache.Root, "served")} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || dir == edits && filepath.Ext(file) != ".go" { // editors have files of their own
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
