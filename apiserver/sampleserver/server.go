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

// Options say how to run the sample server, or another server with the same library.
type Options struct {
	// Name is the name of the program in traces.
	Name string
	// Own has the user's flags of another server; nil means the sample server.
	// The other server may lack flags of the sample server.
	Own *serverconfig.Own
	// Binary is the path of the executable.
	Binary string
	// RunDir is the folder for the server's keys and log. Required.
	RunDir *program.RunDir
	// Check switches the probe's checking mode on.
	Check bool
	// Boot is a sampled W3C traceparent: the probe records the server's start as this
	// trace. If Boot is empty, the start is not traced.
	Boot string
	// Etcd is the etcd for the server's objects.
	Etcd storage.Endpoint
	// Kubeconfig is the path of the kubeconfig for the server's own requests to
	// kube-apiserver, such as requests to authorize a user.
	Kubeconfig string
	// ProxyCAFile has the authority that verifies the aggregator's certificate. ProxyName is
	// the name in it. The server lets a client with such a certificate act for users.
	ProxyCAFile, ProxyName string
	// ServiceName is the name that the aggregator expects in the server's certificate.
	ServiceName string
	// Flags are further flags of the server, which some releases need.
	Flags []string
}

// A Server is a running sample server, or another server with the same library. It listens
// on the loopback interface.
type Server struct {
	Port int
	// CAPEM is the certificate that clients verify the server with.
	CAPEM []byte
	// ProbeSocket is the socket where an instrumented server delivers its records.
	ProbeSocket string
	// Unready is "" if the server was ready in time. Otherwise it has the failed checks in
	// the server's last answer to /readyz.
	Unready string

	child *program.Child
	// allowUnready is set if Start also accepts a server that does not become ready.
	// answered is the time of the first answer that the server is not ready.
	allowUnready bool
	answered     time.Time
}

// Start starts the server on a free port and waits until it is ready. A server of the
// user's own that is not ready after unreadyTimeout is used as it is; see Server.Unready.
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
	s := &Server{CAPEM: ca.CertPEM, allowUnready: o.Own != nil}
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

// flags returns the flags of the server's address, storage, authentication and
// authorization. Everything else is upstream's default.
func (o Options) flags() []string {
	return append(append(o.Etcd.Flags(), o.Flags...),
		"--bind-address=127.0.0.1",

		"--kubeconfig="+o.Kubeconfig,
		"--authorization-kubeconfig="+o.Kubeconfig,
		"--authentication-kubeconfig="+o.Kubeconfig,
		// In a cluster, the server reads these settings from a ConfigMap of kube-system. The
		// ConfigMap has the values of kube-apiserver's flags with the same names.
		// Our kube-apiserver runs without these flags. With them, it would itself look for
		// a proxy's certificate in every request
		// (pkg/kubeapiserver/authenticator/config.go, v1.37).
		"--authentication-skip-lookup",
		"--requestheader-client-ca-file="+o.ProxyCAFile,
		"--requestheader-allowed-names="+o.ProxyName,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		// Without this, the server would use kube-apiserver's earlier answers for some
		// seconds. Traces would then depend on earlier requests of other clients.
		"--authorization-webhook-cache-authorized-ttl=0s",
		"--authorization-webhook-cache-unauthorized-ttl=0s",
	)
}

// GetJSON sends a GET request with a bearer token straight to the server.
// It decodes the JSON answer into a pointer.
func (s *Server) GetJSON(ctx context.Context, path, token string, into any) error {
	status, _, body, err := s.get(ctx, path, token)
	if err == nil && status != http.StatusOK {
		err = message.Errorf("GET %s: %d: %s", path, status, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// get sends a GET request straight to the server.
// It sends no bearer token if token is "".
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

// ready returns nil if the server is ready and knows the FlowSchemas. It requests /readyz
// without a token.
func (s *Server) ready(ctx context.Context) error {
	status, header, body, err := s.get(ctx, "/readyz", "")
	switch {
	case err != nil:
		return err
	case status != http.StatusOK && s.acceptsUnready():
		s.Unready = FailedChecks(string(body))
		return nil
	case status != http.StatusOK:
		return message.Errorf("GET /readyz: %d: %s", status, FailedChecks(string(body)))
	case !knowsFlowSchemas(header):
		return message.NewError("it does not know the FlowSchemas yet")
	}
	return nil
}

// unreadyTimeout limits how long a server of the user's own may answer that it is not
// ready. Some servers wait for objects that do not exist here: metrics-server waits
// for nodes.
const unreadyTimeout = 10 * time.Second

// acceptsUnready reports whether to use a server that answers but is not ready.
func (s *Server) acceptsUnready() bool {
	if s.answered.IsZero() {
		s.answered = time.Now()
	}
	return s.allowUnready && time.Since(s.answered) > unreadyTimeout
}

// FailedChecks returns the failed checks in an answer to /readyz, separated by
// commas. If the answer lists no failed check, it returns the whole answer.
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

// knowsFlowSchemas reports whether the server had read the FlowSchemas when it sent the
// answer. The server reads them some time after it is ready. Until then, every request
// matches a fallback FlowSchema, which has no UID, and traces would show it.
func knowsFlowSchemas(answer http.Header) bool {
	uid := answer.Values(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)
	return len(uid) == 0 || uid[0] != "" // no header: the server has no flow control
}

// Done returns a channel that is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.child.Done() }

// Err returns how the server ended. It is valid after Done is closed.
func (s *Server) Err() error { return s.child.Err() }

// Terminate tells the server to end, and does not wait.
func (s *Server) Terminate() error { return s.child.Terminate() }

// stopGrace limits how long the server may take to end by itself.
// It is short because the server has nothing to save: it would only wait one second for
// clients to come back.
const stopGrace = 100 * time.Millisecond

// Stop ends the server.
func (s *Server) Stop(ctx context.Context) error { return s.child.Stop(ctx, stopGrace) }
