package session

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// A fetcher gets the traces of requests from a server's probes, and the written objects
// from etcd. It is safe for concurrent use.
type fetcher struct {
	// sockets are the probes' socket paths, by program.
	sockets map[string]string
	// untraced names the server's etcd if the etcd is not traced, else it is "".
	untraced string
	// etcd connects to the store at first use. It is nil if the store's address is
	// not known.
	etcd func() (*storage.Reader, error)
	// secrets says how to treat error texts.
	secrets collect.Secrets
	// server is the server with the probes.
	server mortal

	mu sync.Mutex
	// connected is the result of etcd.
	connected *storage.Reader
	// checked is the checking mode's result so far.
	checked collect.Check
}

// A mortal may end. Done is closed once it has ended, and is nil if another process started
// it. Err then returns how it ended.
type mortal interface {
	Done() <-chan struct{}
	Err() error
}

func newFetcher(server *apiserver.Server, secrets collect.Secrets) *fetcher {
	f := &fetcher{sockets: maps.Clone(server.ProbeSockets), secrets: secrets, server: server}
	if server.ExternalEtcd {
		f.untraced = "etcd at " + server.Etcd.URL
	}
	if server.Etcd.URL == "" {
		f.untraced = trace.ProcessEtcd
		return f
	}
	f.etcd = sync.OnceValues(func() (*storage.Reader, error) {
		reader, err := server.Etcd.Open()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.connected = reader
		return reader, err
	})
	return f
}

// addProbe adds the probe of a program that started after the server. It must not be
// called while a trace is being fetched.
func (f *fetcher) addProbe(program, socket string) { f.sockets[program] = socket }

// Close ends the connection to etcd.
func (f *fetcher) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.connected == nil {
		return nil
	}
	return f.connected.Close()
}

// sentOf converts a sent request for the fetcher.
func sentOf(sent *scenarios.Sent) trace.Sent {
	return trace.Sent{TraceID: sent.TraceID, Method: sent.Method, Path: sent.Path, Status: sent.Status, Values: collect.SecretValues(sent.RequestBody)}
}

// fetch gets the trace of an ended request, with the objects that it wrote.
func (f *fetcher) fetch(ctx context.Context, sent trace.Sent) (*trace.Request, error) {
	request, err := f.calls(ctx, sent)
	if err != nil {
		return nil, err
	}
	if f.untraced != "" && asksEtcd(request) {
		request.Incomplete = append(request.Incomplete, trace.LacksUntraced(f.untraced))
	}
	if f.etcd == nil {
		return request, nil
	}
	etcd, err := f.etcd()
	if err != nil {
		return nil, err
	}
	request.Stored, err = etcd.Stored(ctx, request)
	return request, err
}

// asksEtcd reports whether a request reached etcd's client.
func asksEtcd(request *trace.Request) bool {
	return slices.ContainsFunc(request.Calls, func(c trace.Call) bool { return strings.HasPrefix(c.Function, "go.etcd.io/etcd/client/v3.") })
}

// calls gets the trace of an ended request, without the objects that it wrote.
func (f *fetcher) calls(ctx context.Context, sent trace.Sent) (*trace.Request, error) {
	request, check, err := collect.RequestWith(ctx, f.sockets, sent, f.secrets)
	path, _, _ := strings.Cut(sent.Path, "?") // a query may hold private data
	slog.DebugContext(ctx, "fetched a trace", "id", sent.TraceID, "method", sent.Method, "path", path, "status", sent.Status, "error", err)
	if err != nil {
		return nil, f.withDeath(ctx, err)
	}
	f.addCheck(check)
	return request, nil
}

// withDeath adds how the server ended to the error of a probe that did not answer. A
// connection breaks before the process is known to have ended.
func (f *fetcher) withDeath(ctx context.Context, err error) error {
	broken := errors.As(err, new(*url.Error)) || errors.As(err, new(*net.OpError)) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	if f.server == nil || f.server.Done() == nil || !broken {
		return err
	}
	select {
	case <-f.server.Done():
		return errors.Join(err, f.server.Err())
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
	return err
}

// addCheck adds the checking mode's result for a trace.
func (f *fetcher) addCheck(check *collect.Check) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checked.Calls = max(f.checked.Calls, check.Calls)
	f.checked.Mismatches = append(f.checked.Mismatches, check.Mismatches...)
}

// verdict returns an error if recorded calls differ from the real stack. checked is set if
// the probes compared them.
func (f *fetcher) verdict(checked bool, to Reporter) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case checked && f.checked.Calls == 0: // nothing was compared
		to.Notice("no call was compared with the real stack: no trace was fetched")
	case checked:
		to.Notice("compared %d calls with the real stack: %d differ", f.checked.Calls, len(f.checked.Mismatches))
	}
	if len(f.checked.Mismatches) > 0 {
		return message.Errorf("recorded calls differ from the real stack:\n%s", strings.Join(f.checked.Mismatches, "\n"))
	}
	return nil
}
