package sampleserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// Options set how to run the sample server.
type Options struct {
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

	child *program.Child
}

// Start starts the server on a free port and waits until it is ready.
func Start(ctx context.Context, o Options) (*Server, error) {
	dir, err := o.RunDir.Part(Name)
	if err != nil {
		return nil, err
	}
	ca, err := authority.New("apitrace " + Name)
	if err != nil {
		return nil, err
	}
	s := &Server{CAPEM: ca.CertPEM}
	cert, key, err := ca.Issue(Name, o.ServiceName)
	if err != nil {
		return nil, err
	}
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for path, data := range map[string][]byte{certFile: cert, keyFile: key} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, message.Errorf("writing the keys of %s: %w", Name, err)
		}
	}
	s.child, err = program.WithFreePort(func(port int) (*program.Child, error) {
		s.Port = port
		child := program.Server{
			Name: Name, Path: o.Binary, Dir: dir, Check: o.Check, Boot: o.Boot,
			Args:  append(o.flags(), "--tls-cert-file="+certFile, "--tls-private-key-file="+keyFile, fmt.Sprintf("--secure-port=%d", port)),
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

// ready asks the server itself, which answers that to anybody.
func (s *Server) ready(ctx context.Context) error {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CAPEM) {
		return message.NewError("the server's CA certificate cannot be read")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/readyz", s.Port), nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return message.Errorf("GET /readyz: %s: %s", resp.Status, strings.TrimSpace(string(body)))
	case !knowsFlowSchemas(resp.Header):
		return message.NewError("it does not know the FlowSchemas yet")
	}
	return nil
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

// stopGrace is how long the server may take to end by itself. It saves nothing then, and
// waits a second for clients that might come back.
const stopGrace = 100 * time.Millisecond

// Stop ends the server.
func (s *Server) Stop(ctx context.Context) error { return s.child.Stop(ctx, stopGrace) }
