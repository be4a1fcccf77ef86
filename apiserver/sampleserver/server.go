package sampleserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// Options set how to run the sample server, or another one that is built on the same library.
type Options struct {
	// Name is the name of the program in traces.
	Name string
	// Own are the user's flags of the server; it may also lack flags that the sample server has.
	Own *serverconfig.Own
	// Binary is the path of the executable.
	Binary string
	// RunDir is where its keys and log go. Required.
	RunDir *program.RunDir
	// Check switches the probe's checking mode on.
	Check bool
	// Boot is a sampled W3C traceparent, for the probe to trace the server's start.
	Boot string
	// Etcd is where it stores its objects, under a prefix of its own.
	Etcd storage.Endpoint
	// Kubeconfig leads to the kube-apiserver that it asks who may do what.
	Kubeconfig string
	// ProxyCAFile verifies the certificate of the aggregator, and ProxyName is the name
	// in it: who has it is believed whom it speaks for.
	ProxyCAFile, ProxyName string
	// ServiceName is the name by which the aggregator knows the server's certificate.
	ServiceName string
	// Flags are further ones, which a release may need.
	Flags []string
}

// A Server is a running sample server. It listens on the loopback interface.
type Server struct {
	Port int
	// CAPEM is the certificate with which clients verify the server.
	CAPEM []byte
	// ProbeSocket is where an instrumented server gives its records.
	ProbeSocket string
	// Unready is what the server said when it was not ready after a while, although it answered; "" if it was ready.
	Unready string

	child *program.Child
	// patient servers are used even if they do not get ready; answered is when such a one first answered.
	patient  bool
	answered time.Time
}

// Start starts the server on a free port and waits until it is ready.
func Start(ctx context.Context, o Options) (*Server, error) {
	dir, err := o.RunDir.Part(o.Name)
	if err != nil {
		return nil, err
	}
	ca, err := authority.New("apitrace " + o.Name)
	if err != nil {
		return nil, err
	}
	flags := o.flags()
	if o.Own != nil {
		known, err := knownFlags(ctx, o.Binary)
		if err != nil {
			return nil, err
		}
		flags = o.ownFlags(flags, known)
	}
	s := &Server{CAPEM: ca.CertPEM, patient: o.Own != nil}
	cert, key, err := ca.Issue(o.Name, o.ServiceName)
	if err != nil {
		return nil, err
	}
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for path, data := range map[string][]byte{certFile: cert, keyFile: key} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, message.Errorf("writing the keys of %s: %w", o.Name, err)
		}
	}
	s.child, err = program.WithFreePort(func(port int) (*program.Child, error) {
		s.Port = port
		child := program.Server{
			Name: o.Name, Path: o.Binary, Dir: dir, Check: o.Check, Boot: o.Boot,
			Args:  append(slices.Clone(flags), "--tls-cert-file="+certFile, "--tls-private-key-file="+keyFile, fmt.Sprintf("--secure-port=%d", port)),
			Ready: s.ready,
		}
		s.ProbeSocket = child.Socket()
		return program.Start(ctx, child)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// flags are those that say who is who. Everything else is as upstream has it.
func (o Options) flags() []string {
	return append(append(o.Etcd.Flags(), o.Flags...),
		"--bind-address=127.0.0.1",

		"--kubeconfig="+o.Kubeconfig,
		"--authorization-kubeconfig="+o.Kubeconfig,
		"--authentication-kubeconfig="+o.Kubeconfig,
		// In a cluster it finds the following in a ConfigMap of kube-system, where
		// kube-apiserver puts what it was told of them. Ours is not told: it would look
		// for such certificates itself, in every request.
		"--authentication-skip-lookup",
		"--requestheader-client-ca-file="+o.ProxyCAFile,
		"--requestheader-allowed-names="+o.ProxyName,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		// Else kube-apiserver is asked only where no answer of the last seconds will do,
		// and a trace depends on what somebody else has done before.
		"--authorization-webhook-cache-authorized-ttl=0s",
		"--authorization-webhook-cache-unauthorized-ttl=0s",
	)
}

// Ask gets a path from the server itself, with a bearer token.
func (s *Server) Ask(ctx context.Context, path, token string, into any) error {
	status, _, body, err := s.get(ctx, path, token)
	if err == nil && status != http.StatusOK {
		err = message.Errorf("GET %s: %d: %s", path, status, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// get sends a GET request for a path straight to the server, with the bearer token unless it is "".
func (s *Server) get(ctx context.Context, path, token string) (status int, header http.Header, body []byte, err error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CAPEM) {
		return 0, nil, nil, message.NewError("the server's CA certificate cannot be read")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d%s", s.Port, path), nil)
	if err != nil {
		return 0, nil, nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, resp.Header, body, err
}

// ready asks the server itself, which answers that to anybody.
func (s *Server) ready(ctx context.Context) error {
	status, header, body, err := s.get(ctx, "/readyz", "")
	switch {
	case err != nil:
		return err
	case status != http.StatusOK && s.givenUp():
		s.Unready = FailedChecks(string(body))
		return nil
	case status != http.StatusOK:
		return message.Errorf("GET /readyz: %d: %s", status, FailedChecks(string(body)))
	case !knowsFlowSchemas(header):
		return message.NewError("it does not know the FlowSchemas yet")
	}
	return nil
}

// unreadyTimeout is how long a server of the user's own may answer that it is not ready: some wait for what does not
// exist here, as metrics-server does for nodes.
const unreadyTimeout = 10 * time.Second

// givenUp tells whether to use a server that answers, but is not ready.
func (s *Server) givenUp() bool {
	if s.answered.IsZero() {
		s.answered = time.Now()
	}
	return s.patient && time.Since(s.answered) > unreadyTimeout
}

// FailedChecks returns the failed checks in an answer to /readyz, separated by commas, or the whole answer if it lists none.
func FailedChecks(answer string) string {
	var failed []string
	for line := range strings.Lines(answer) {
		if check, ok := strings.CutPrefix(strings.TrimSpace(line), "[-]"); ok {
			failed = append(failed, check)
		}
	}
	if len(failed) == 0 {
		return strings.TrimSpace(answer)
	}
	return strings.Join(failed, ", ")
}

// knowsFlowSchemas tells whether the server that gave an answer had read the FlowSchemas, which it does some
// time after it is ready: until then its own fall-back, which has no UID, takes every request, and
// a trace would show that.
func knowsFlowSchemas(answer http.Header) bool {
	uid := answer.Values(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)
	return len(uid) == 0 || uid[0] != "" // none: it has no flow control
}

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.child.Done() }

// Err says how it ended, once Done is closed.
func (s *Server) Err() error { return s.child.Err() }

// Terminate asks the server to end, and does not wait for that.
func (s *Server) Terminate() error { return s.child.Terminate() }

// stopGrace is how long the server may take to end by itself. It saves nothing then, and
// waits a second for clients that might come back.
const stopGrace = 100 * time.Millisecond

// Stop ends the server.
func (s *Server) Stop(ctx context.Context) error { return s.child.Stop(ctx, stopGrace) }
