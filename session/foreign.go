package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session/front"
	"github.com/kubeapitrace/apitrace/trace"
)

// sampleForeign opens a front to a traced kube-apiserver that another program started, at
// options.Server. probe is the path of the socket of the server's probe. rate is the
// fraction of requests to trace. secrets is how to treat the errors of requests for
// secrets. The caller must call close.
func sampleForeign(ctx context.Context, probe string, rate float64, options front.Options, secrets collect.Secrets, to Reporter) (*sampler, error) {
	options.KeepBody = secrets.Hold
	server := &apiserver.Server{BaseURL: options.Server, CAPEM: options.CAPEM, ProbeSockets: map[string]string{apiserver.Name: probe}}
	version, err := versionOf(ctx, server)
	if err != nil {
		return nil, message.Errorf("the kube-apiserver at %s does not answer: %w", options.Server, err)
	}
	if err := reachable(ctx, probe); err != nil {
		return nil, message.Errorf("its probe does not answer: %w; is %s=%s in its environment, and did \"apitrace build\" build it?", err, program.SocketEnv, probe)
	}
	head := trace.Recording{Scenario: "front", K8sVersion: version, Recorded: time.Now()}
	s, err := startSampler(ctx, to, rate, newFetcher(server, secrets), head, options)
	if err != nil || options.Certificate != nil {
		return s, err
	}
	if err := s.writeCA(); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// writeCA writes the certificate that verifies the front.
func (s *sampler) writeCA() (err error) {
	if s.dir, err = program.NewRunDir(); err != nil {
		return err
	}
	s.CAFile = filepath.Join(s.dir.Path, "ca.crt")
	return os.WriteFile(s.CAFile, s.Front.CAPEM, 0o600)
}

// versionOf returns the version of a server, or "" if only authenticated users may
// read it.
func versionOf(ctx context.Context, server *apiserver.Server) (string, error) {
	client, err := server.Client()
	if err != nil {
		return "", err
	}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.BaseURL+"/version", nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var version struct {
		GitVersion string `json:"gitVersion"`
	}
	const enough = 1 << 20
	if err := json.NewDecoder(io.LimitReader(answer.Body, enough)).Decode(&version); err != nil {
		return "", message.Errorf("its version is not JSON: %w", err)
	}
	return version.GitVersion, nil
}

// reachable returns an error if nobody listens on a unix socket.
func reachable(ctx context.Context, socket string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	return conn.Close()
}
