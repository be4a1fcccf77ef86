package session

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// A mortalServer ends with an error once dead is closed.
type mortalServer struct{ dead chan struct{} }

func (s mortalServer) Done() <-chan struct{} { return s.dead }
func (s mortalServer) Err() error            { return errors.New("kube-apiserver ended: signal: killed") }

// TestFetchFromDyingServer checks that the error of a probe that breaks off its answer says how
// the server ended.
func TestFetchFromDyingServer(t *testing.T) {
	socket := filepath.Join(testenv.SocketDir(t), "probe")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	server := mortalServer{make(chan struct{})}
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = connection.Read(make([]byte, 1))
		_, _ = connection.Write([]byte(`{"Records": [`))
		connection.Close()
		close(server.dead)
	}()
	f := &fetcher{sockets: map[string]string{trace.ProcessAPIServer: socket}, server: server}
	_, err = f.fetch(t.Context(), trace.Sent{TraceID: "0af7651916cd43dd8448eb211c80319c", Method: "GET", Path: "/api", Status: 200})
	if err == nil || !strings.Contains(err.Error(), "asking the probe") || !strings.Contains(err.Error(), "kube-apiserver ended: signal: killed") {
		t.Errorf("got the error %v, expected that the probe did not answer, and how the server ended", err)
	}
}
