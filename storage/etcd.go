package storage

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// Options set how to run etcd.
type Options struct {
	// Binary is the path of the executable.
	Binary string
	// RunDir is the folder for etcd's data, keys and log. Required.
	RunDir *program.RunDir
	// Check enables the probe's checking mode.
	Check bool
}

// An Etcd is a running, disposable etcd with a single member.
type Etcd struct {
	Endpoint Endpoint
	// ProbeSocket is the path of the probe's socket if etcd is instrumented.
	ProbeSocket string
	child       *program.Child
}

// Start starts etcd on a free port of the loopback interface and waits until it
// serves. Only clients with the endpoint's key can use it.
func Start(ctx context.Context, o Options) (*Etcd, error) {
	dir, err := o.RunDir.Part(Name)
	if err != nil {
		return nil, err
	}
	e := &Etcd{Endpoint: endpointIn(dir)}
	if err := e.Endpoint.writeKeys(); err != nil {
		return nil, err
	}
	e.child, err = program.WithFreePort(func(port int) (*program.Child, error) {
		e.Endpoint.URL = fmt.Sprintf("https://127.0.0.1:%d", port)
		server := e.Endpoint.server(o.Binary, dir)
		server.Check = o.Check
		e.ProbeSocket = server.Socket()
		return program.Start(ctx, server)
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func endpointIn(dir string) Endpoint {
	return Endpoint{
		CAFile: filepath.Join(dir, "ca.crt"), CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"),
	}
}

// server describes an etcd process at the endpoint.
func (e Endpoint) server(binary, dir string) program.Server {
	return program.Server{
		Name: Name, Path: binary, Args: e.flags(filepath.Join(dir, "data")), Dir: dir,
		// ready fails with another etcd on the same port, because of its certificate.
		Ready: e.ready,
	}
}

func (e Endpoint) flags(data string) []string {
	// etcd may choose the port for peers, because there are no other members.
	const peerURL = "https://127.0.0.1:0"
	return []string{
		"--name=apitrace",
		"--data-dir=" + data,
		"--listen-client-urls=" + e.URL,
		"--advertise-client-urls=" + e.URL,
		"--client-cert-auth",
		"--trusted-ca-file=" + e.CAFile,
		"--cert-file=" + e.CertFile,
		"--key-file=" + e.KeyFile,
		"--listen-peer-urls=" + peerURL,
		"--initial-advertise-peer-urls=" + peerURL,
		"--initial-cluster=apitrace=" + peerURL,
		"--peer-client-cert-auth",
		"--peer-trusted-ca-file=" + e.CAFile,
		"--peer-cert-file=" + e.CertFile,
		"--peer-key-file=" + e.KeyFile,
	}
}

// writeKeys writes the endpoint's files: the certificate of a new authority, and one
// certificate with its key for etcd and its clients.
// The authority's key is not kept.
func (e Endpoint) writeKeys() error {
	ca, err := authority.New("apitrace etcd")
	if err != nil {
		return err
	}
	cert, key, err := ca.Issue(Name)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{e.CAFile, ca.CertPEM}, {e.CertFile, cert}, {e.KeyFile, key}} {
		if err := os.WriteFile(f.path, f.data, 0o600); err != nil {
			return message.Errorf("writing etcd's keys: %w", err)
		}
	}
	return nil
}

// ready returns nil if etcd serves. It requests the revision, because etcd answers
// this only if it has a leader.
func (e Endpoint) ready(ctx context.Context) error {
	// Connect first: after a refused connection, etcd's client would wait for a second.
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(e.URL, "https://"))
	if err != nil {
		return err
	}
	conn.Close()
	r, err := e.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.Revision(ctx)
	return err
}

// Done is closed when etcd has ended.
func (e *Etcd) Done() <-chan struct{} { return e.child.Done() }

// Err returns why etcd ended, or nil before Done is closed.
func (e *Etcd) Err() error { return e.child.Err() }

// stopGrace is how long Stop waits before it kills etcd. It is short, because the data
// is disposable.
const stopGrace = 2 * time.Second

// Stop ends etcd. It kills etcd after stopGrace, or when ctx ends.
func (e *Etcd) Stop(ctx context.Context) error { return e.child.Stop(ctx, stopGrace) }
