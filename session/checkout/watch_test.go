package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
)

// events has the notices, replays and displays of a watch, in this order.
type events chan string

func (e events) Notice(format string, args ...any) { e <- message.Of(format, args...).String() }
func (events) Building() session.BuildReporter     { return silent{} }
func (e events) expect(t *testing.T, wanted ...string) { // parts of the next events
	t.Helper()
	for _, want := range wanted {
		select {
		case got := <-e:
			if !strings.Contains(got, want) {
				t.Fatalf("the next event is %q, expected %q", got, want)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("there was no event for two minutes, expected %q", want)
		}
	}
}

// replace replaces a file at once, as editors do, so that a watch sees one change.
func replace(t *testing.T, dir, name, text string) {
	t.Helper()
	put(t, filepath.Dir(dir), "new.go", text)
	if err := os.Rename(filepath.Join(filepath.Dir(dir), "new.go"), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// A watch goes on if nothing differs, if the source cannot be read, and if it does
// not compile. When the source compiles again, the watch compares it with the last replay.
func TestWatchGoesOn(t *testing.T) {
	dir := kubernetes(t)
	const file = "cmd/kube-apiserver/app/server.go"
	before, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	version, _ := mustVersion(t, dir)
	happens := make(events, 100)
	w := Watcher{
		Options: session.ServerOptions{Spec: session.Spec{Version: version}}, Scenario: &scenarios.Scenario{Name: "get-node"}, To: happens,
		First: func(r *trace.Recording) error {
			happens <- "first " + r.Scenario
			return nil
		},
		Show: func(c sides.Compared) error {
			happens <- "show " + c.NameA + " and " + c.NameB
			return nil
		},
		Failed: func(err error) { happens <- "failed: " + err.Error() },
		run: func(_ context.Context, o session.ServerOptions, s *scenarios.Scenario, _ session.Reporter, deliver func(*trace.Recording) error) error {
			happens <- "replay " + s.Name + " on " + o.Version
			source, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			if strings.Contains(string(source), "undefined") {
				return errors.New("it does not compile")
			}
			return deliver(&trace.Recording{Scenario: s.Name, K8sVersion: o.Version})
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the watch ended with %v", err)
		}
	}()
	const waiting = "waiting for a change in "
	happens.expect(t, "replay get-node on "+version, "first get-node", waiting)

	replace(t, dir, file, string(before))
	happens.expect(t, "is built as "+version, "the source of the server is the same", waiting)

	replace(t, dir, file, "package app\n\nimport _ \"k8s.io/kubernetes/pkg/nowhere\"\n\nfunc Run() {}\n")
	happens.expect(t, "failed: the packages of "+dir+" cannot be read:\n\tcmd/kube-apiserver/app/server.go:3:8:", waiting)

	replace(t, dir, file, string(before)+"\nfunc more() { undefined() }\n")
	happens.expect(t, ".dirty.", "replay get-node on v1.36.3+", "failed: it does not compile", waiting)

	replace(t, dir, file, string(before)+"\nfunc more() {}\n")
	changed, _ := mustVersion(t, dir)
	happens.expect(t, "is built as "+changed, "replay get-node on "+changed, "show "+version+" and "+changed, waiting)

	replace(t, dir, file, string(before))
	happens.expect(t, "is built as "+version, "replay get-node on "+version, "show "+changed+" and "+version, waiting)
}
