package witness

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
)

// A window has the functions that were called in a span of time, by program.
type window map[string]set

// A witness reads the counters of both programs.
type witness struct {
	programs []*counted
	dir      string
}

// open clears the counters.
func (w *witness) open(ctx context.Context) error {
	for _, c := range w.programs {
		if err := c.clear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close writes the counters of each program to a new folder, and returns the folders.
func (w *witness) close(ctx context.Context) (folders []string, err error) {
	for _, c := range w.programs {
		folder, err := c.write(ctx, w.dir)
		if err != nil {
			return nil, err
		}
		folders = append(folders, folder)
	}
	return folders, nil
}

func (w *witness) read(t *testing.T, folders []string) window {
	t.Helper()
	seen := window{}
	for i, c := range w.programs {
		seen[c.source.program] = c.read(t, folders[i])
	}
	return seen
}

// countRuns replays the scenarios with counters. The result has the functions of each
// traced request of a scenario: the functions that ran in every replay, and in no idle
// window.
func countRuns(t *testing.T, p *programs) map[string][]window {
	t.Helper()
	server := start(t, p.counting(t))
	return countRunsOn(t, p, server, storage.Name, apiserver.Name)
}

func countRunsOn(t *testing.T, p *programs, server *apiserver.Server, programs ...string) map[string][]window {
	w := &witness{dir: t.TempDir()}
	for _, name := range programs {
		w.programs = append(w.programs, newCounted(t, server, p.sources[name]))
	}
	folders := map[string][][][]string{} // folders by scenario, request, run and program
	var idle [][]string
	for run := range countedRuns {
		for _, name := range replayed {
			w.count(t, server, name, run, folders)
		}
		for range idleWindows / countedRuns {
			idle = append(idle, w.idle(t))
		}
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	beside := w.readIdle(t, idle)
	all := map[string][]window{}
	for name, requests := range folders {
		for _, runs := range requests {
			var always window
			for _, folders := range runs {
				seen := w.read(t, folders)
				if always == nil {
					always = seen
				}
				for program, functions := range always {
					maps.DeleteFunc(functions, func(name string, _ function) bool {
						_, again := seen[program][name]
						_, otherwise := beside[program][name]
						return !again || otherwise
					})
				}
			}
			all[name] = append(all[name], always)
		}
	}
	return all
}

// count replays a scenario once, and adds the folders with the counters of its requests
// to folders.
func (w *witness) count(t *testing.T, server *apiserver.Server, name string, run int, folders map[string][][][]string) {
	t.Helper()
	at, isOpen := -1, false
	before := func(ctx context.Context) error {
		at, isOpen = at+1, true
		time.Sleep(quiet)
		return w.open(ctx)
	}
	replay(t, server, name, before, func(ctx context.Context, _ *scenarios.Sent) error {
		if !isOpen { // an untraced request during a watch
			return nil
		}
		isOpen = false
		time.Sleep(after)
		written, err := w.close(ctx)
		if run == 0 {
			folders[name] = append(folders[name], nil)
		}
		folders[name][at] = append(folders[name][at], written)
		return err
	})
}

// idle writes the counters of a time without a request from the test. The time is about
// as long as the window of a request.
func (w *witness) idle(t *testing.T) []string {
	t.Helper()
	time.Sleep(quiet)
	if err := w.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * after)
	folders, err := w.close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// quiet is the time after which earlier writes no longer cause calls: etcd commits every
// 100 ms.
const quiet = 250 * time.Millisecond

// busy has functions of each program. For every request, at least one of them runs, even
// for requests that kube-apiserver sends to itself or to etcd.
var busy = map[string][]string{
	apiserver.Name: {"k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP"},
	storage.Name: {
		"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc.(*kvServer).Range", "go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc.(*kvServer).Txn",
		"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc.(*LeaseServer).LeaseGrant",
	},
}

func (w window) busy() bool {
	for program, functions := range busy {
		for _, function := range functions {
			if _, ok := w[program][function]; ok {
				return true
			}
		}
	}
	return false
}

// readIdle returns the functions that ran in any idle window. A window does not count
// if the servers handled their own requests in it.
func (w *witness) readIdle(t *testing.T, windows [][]string) window {
	t.Helper()
	all, idle := window{}, 0
	for _, folders := range windows {
		seen := w.read(t, folders)
		if seen.busy() {
			continue
		}
		idle++
		for program, functions := range seen {
			if all[program] == nil {
				all[program] = set{}
			}
			maps.Copy(all[program], functions)
		}
	}
	t.Logf("%d idle windows, and %d with a request of the servers' own", idle, len(windows)-idle)
	if idle == 0 {
		t.Fatal("the servers were never idle")
	}
	for program, functions := range all {
		t.Logf("%s: %d functions are called without a request", program, len(functions))
	}
	return all
}
