//go:build unix

package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// noted keeps the notices.
type noted struct {
	silent
	notices []string
}

func (n *noted) Notice(format string, args ...any) {
	n.notices = append(n.notices, message.Of(format, args...).String())
}

// TestServedWithOwnServer checks that a user of several servers sees which API server
// is behind which of them, and gets a first request for it.
func TestServedWithOwnServer(t *testing.T) {
	own := &apiserver.AggregatedState{Version: "example.com/mine v1.2.3", GroupVersions: []string{"roses.example.com/v1", "roses.example.com/v1beta1"}}
	for _, test := range []struct {
		server         apiserver.Server
		silence        error
		state, request string
	}{
		{apiserver.Server{}, nil, "ready", "apitrace request --k8s v1.30.4 GET /api/v1/namespaces"},
		{apiserver.Server{Aggregated: own}, nil, "ready, with example.com/mine v1.2.3 behind it", "apitrace request --k8s v1.30.4 GET /apis/roses.example.com/v1"},
		{apiserver.Server{Aggregated: own, Edited: []string{"a.go"}}, os.ErrClosed, "does not answer, edited, with example.com/mine v1.2.3 behind it", "apitrace exec --k8s v1.30.4 -- kubectl get --raw /apis/roses.example.com/v1"},
		{apiserver.Server{Aggregated: &apiserver.AggregatedState{Version: "example.com/empty v1.0.0"}}, nil, "ready, with example.com/empty v1.0.0 behind it", "apitrace exec --k8s v1.30.4 -- kubectl get namespaces"},
	} {
		if got := stateOf(&test.server, test.silence).String(); got != test.state {
			t.Errorf("state %q, expected %q", got, test.state)
		}
		said := &noted{}
		test.server.K8sVersion = "v1.30.4"
		(&Running{Server: &test.server}).introduce(said)
		if all := strings.Join(said.notices, "\n") + "\n"; !strings.Contains(all, test.request+"\n") {
			t.Errorf("expected a notice that ends with %q, got\n%s", test.request, all)
		}
	}
}

// claimed starts a process that claims servers of a version, as if it were building
// one. It returns a function that reports whether the process lives.
func claimed(t *testing.T, cache *program.Cache, version string) func() bool {
	t.Helper()
	file := filepath.Join(apiserver.ServedDir(cache), version+"_0123456789abcdef.claim")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close() // the process keeps it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	process := exec.Command("sleep", "600")
	process.ExtraFiles = []*os.File{lock}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = process.Process.Kill()
		<-ended
	})
	if _, err := lock.WriteString(strconv.Itoa(process.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	return func() bool {
		select {
		case <-ended:
			return false
		default:
			return true
		}
	}
}

// Only the servers of the wanted versions are stopped.
func TestStopServed(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	cache, err := program.OpenCache("")
	if err != nil {
		t.Fatal(err)
	}
	const mine, other = "v1.37.1+0123456789.dirty.01234567", "v1.37.1"
	mineLives, otherLives := claimed(t, cache, mine), claimed(t, cache, other)
	to := &noted{}
	if err := StopServed(t.Context(), func(version string) bool { return version == mine }, to); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(to.notices, "\n"); !strings.Contains(got, "which was starting a server of "+mine) || strings.Contains(got, "of "+other+"\n") {
		t.Errorf("the notices are %q, expected only a notice about the wanted version", got)
	}
	if mineLives() || !otherLives() {
		t.Errorf("the process of the wanted version lives: %t, the other process: %t; expected false and true", mineLives(), otherLives())
	}
	to.notices = nil
	if err := StopServed(t.Context(), func(version string) bool { return version == mine }, to); err != nil || strings.Join(to.notices, "\n") != "no server is kept running" {
		t.Errorf("the second call returned %v with the notices %q, expected that no server is kept running", err, to.notices)
	}
}
