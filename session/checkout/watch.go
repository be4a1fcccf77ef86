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
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// settleTime is how long files must stay unchanged before a build. Editors save
// in several steps, and git writes many files.
const settleTime = 300 * time.Millisecond

// A Watcher replays a scenario each time the source of a server changes. The source is
// the folder of the API server behind the aggregator, if Own names a folder, else a
// checkout of kubernetes.
type Watcher struct {
	// Options describe the server. If Own names no folder, their version must be the
	// version of a checkout's work tree, as from TakeFlag.
	Options  session.ServerOptions
	Scenario *scenarios.Scenario
	// First shows the first replay.
	First func(*trace.Recording) error
	// Show shows the differences from the previous replay.
	Show func(sides.Compared) error
	// Failed is called with the reason if a change cannot be built or replayed. The
	// watch goes on.
	Failed  func(error)
	Compare diff.Options
	To      session.Reporter
	// run replaces session.Run if it is not nil. Tests set it.
	run func(context.Context, session.ServerOptions, *scenarios.Scenario, session.Reporter, func(*trace.Recording) error) error
}

// A watchedSource is the source that a Watcher watches.
type watchedSource interface {
	// dir returns its top folder.
	dir() string
	// folders lists the folders of its files.
	folders() ([]string, error)
	// changed returns the source in the files' current state. same is set if the
	// state has not changed.
	changed(ctx context.Context) (now watchedSource, same bool, err error)
	// options returns the options of a server built from the source.
	options(session.ServerOptions) session.ServerOptions
}

// Run watches until the context ends, and returns its error.
func (w *Watcher) Run(ctx context.Context) error {
	if w.Options.Own.IsZero() { // the scenario may name the server to watch
		w.Options.Own = w.Scenario.Setup.AggregatedServer
	}
	source, err := w.source(ctx)
	if err != nil {
		return err
	}
	dir := source.dir()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return message.Errorf("watching %q: %w", dir, err)
	}
	defer watcher.Close()
	var last *trace.Recording
	for {
		folders, err := source.folders()
		if err != nil {
			return err
		}
		if err := watch(watcher, folders); err != nil {
			return message.Errorf("watching %q: %w", dir, err)
		}
		made, err := w.replay(ctx, source)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && last == nil:
			return err
		case err != nil:
			w.Failed(err)
		default:
			if err := w.show(last, made); err != nil {
				return err
			}
		}
		if made != nil {
			last = made
		}
		if source, err = w.next(ctx, watcher, source); err != nil {
			return err
		}
	}
}

// show shows the first replay, or the differences from the last replay.
func (w *Watcher) show(last, made *trace.Recording) error {
	if last == nil {
		return w.First(made)
	}
	return w.Show(compared(last, made, w.Compare))
}

func (w *Watcher) source(ctx context.Context) (watchedSource, error) {
	if w.Options.Own.IsFolder() {
		return takeOwn(ctx, w.Options)
	}
	dir, err := apiserver.CheckoutDir(w.Options.Version)
	if err != nil && !w.Options.Own.IsZero() {
		return nil, message.UsageErrorf("the files of a released module do not change: name the folder of an API server (--server ./DIR) or a checkout of kubernetes (--k8s)")
	}
	if err != nil {
		return nil, message.ToUsageError(err)
	}
	return watchedCheckout{top: dir, version: w.Options.Version, to: w.To}, nil
}

func (w *Watcher) replay(ctx context.Context, source watchedSource) (made *trace.Recording, err error) {
	run := session.Run
	if w.run != nil {
		run = w.run
	}
	err = run(ctx, source.options(w.Options), w.Scenario, w.To, func(r *trace.Recording) error {
		made = r
		return nil
	})
	return made, err
}

func compared(a, b *trace.Recording, o diff.Options) sides.Compared {
	c := sides.Compared{Comparison: diff.CompareRecordings(a, b, o), NameA: a.K8sVersion, NameB: b.K8sVersion, LiveA: true, LiveB: true}
	if ownA, ownB := a.OwnServers(), b.OwnServers(); len(ownA) > 0 && len(ownB) > 0 {
		c.NameA, c.NameB = ownA[0].Version, ownB[0].Version
	}
	return c
}

// next waits until the source differs from built, and returns the new source.
func (w *Watcher) next(ctx context.Context, watcher *fsnotify.Watcher, built watchedSource) (watchedSource, error) {
	for {
		w.To.Notice("waiting for a change in %q; Ctrl-C ends", built.dir())
		if err := settle(ctx, watcher); err != nil {
			return nil, err
		}
		now, same, err := built.changed(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			w.Failed(err)
		case !same:
			return now, nil
		default:
			w.To.Notice("the source of the server is the same")
		}
	}
}

// watch adds folders that are not watched yet and still exist.
func watch(watcher *fsnotify.Watcher, folders []string) error {
	for _, folder := range folders {
		if err := watcher.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// settle waits until files have changed, and then stayed unchanged for settleTime.
func settle(ctx context.Context, watcher *fsnotify.Watcher) error {
	var settled <-chan time.Time // nil until a file has changed
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-settled:
			return nil
		case event := <-watcher.Events:
			if event.Op == fsnotify.Chmod {
				continue
			}
			if info, err := os.Stat(event.Name); err == nil && info.IsDir() && filepath.Base(event.Name) != ".git" {
				_ = watcher.Add(event.Name) // a new package; if it cannot be watched, a change elsewhere finds it
			}
		case err := <-watcher.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // an overflow also means that a file has changed
				return err
			}
		}
		settled = time.After(settleTime)
	}
}
