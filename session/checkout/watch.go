package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// settleTime is how long files must be left alone before they are built: editors save in several steps, git writes many.
const settleTime = 300 * time.Millisecond

// A Watcher replays a scenario each time that the source in a checkout changes.
type Watcher struct {
	// Options say which server; their version is that of the files of a checkout, as TakeFlag puts it in the place of its name.
	Options  session.ServerOptions
	Scenario *scenarios.Scenario
	// Show shows what differs from the replay before.
	Show func(sides.Compared) error
	// Failed is told why a change cannot be built or replayed; the watch goes on.
	Failed  func(error)
	Compare diff.Options
	To      session.Reporter
}

// Run watches until the context ends, whose error it returns then.
func (w *Watcher) Run(ctx context.Context) error {
	dir, err := apiserver.CheckoutDir(w.Options.Version)
	if err != nil {
		return usage.Wrong(err)
	}
	watched, err := fsnotify.NewWatcher()
	if err != nil {
		return message.Errorf("watching %q: %w", dir, err)
	}
	defer watched.Close()
	var last *trace.Recording
	version := w.Options.Version
	for {
		folders, err := apiserver.CheckoutFolders(version)
		if err != nil {
			return err
		}
		if err := watch(watched, folders); err != nil {
			return message.Errorf("watching %q: %w", dir, err)
		}
		made, err := w.replay(ctx, version)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && last == nil:
			return err
		case err != nil:
			w.Failed(err)
		case last != nil:
			if err := w.Show(compared(last, made, w.Compare)); err != nil {
				return err
			}
		}
		if made != nil {
			last = made
		}
		if version, err = w.next(ctx, watched, dir, version); err != nil {
			return err
		}
	}
}

func (w *Watcher) replay(ctx context.Context, version string) (made *trace.Recording, err error) {
	o := w.Options
	o.Version = version
	err = session.Run(ctx, o, w.Scenario, w.To, func(r *trace.Recording) error {
		made = r
		return nil
	})
	return made, err
}

func compared(a, b *trace.Recording, o diff.Options) sides.Compared {
	return sides.Compared{Comparison: diff.CompareRecordings(a, b, o), NameA: a.K8sVersion, NameB: b.K8sVersion, LiveA: true, LiveB: true}
}

// next waits for source that differs from that of a version, and returns its own version.
func (w *Watcher) next(ctx context.Context, watched *fsnotify.Watcher, dir, version string) (string, error) {
	for {
		w.To.Notice("waiting for a change in %q; Ctrl-C ends", dir)
		if err := settle(ctx, watched); err != nil {
			return "", err
		}
		next, err := versionOf(ctx, dir, w.To)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			w.Failed(err)
		case next != version:
			return next, nil
		default:
			w.To.Notice("the source of kube-apiserver is the same")
		}
	}
}

// watch adds folders that are not watched yet. One that is gone by now is left out.
func watch(watched *fsnotify.Watcher, folders []string) error {
	for _, folder := range folders {
		if err := watched.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// settle waits until files have changed, and then have not for settleTime.
func settle(ctx context.Context, watched *fsnotify.Watcher) error {
	var settled <-chan time.Time // nil until something has changed
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-settled:
			return nil
		case event := <-watched.Events:
			if event.Op == fsnotify.Chmod {
				continue
			}
			if info, err := os.Stat(event.Name); err == nil && info.IsDir() && filepath.Base(event.Name) != ".git" {
				_ = watched.Add(event.Name) // a new package; if it cannot be watched, a save elsewhere finds it
			}
		case err := <-watched.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // in which case something has changed, too
				return err
			}
		}
		settled = time.After(settleTime)
	}
}
