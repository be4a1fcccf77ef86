package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Live is a server in use for a while. It replays scenarios, sends requests, and traces
// the clients with its kubeconfig. It is safe for concurrent use.
type Live struct {
	server  *Running
	serving context.Context
	clients *Clients
	close   func() error
}

// LiveOptions say how to handle the requests of clients.
type LiveOptions struct {
	// As is the user of the kubeconfig.
	As string
	// Kept is called with each traced request and its trace, as a recording of its own.
	// Calls of Kept and Untraced are serialized.
	Kept func(Row, *trace.Recording)
	// Untraced is called with each request without a trace; Row.Err says why.
	Untraced func(Row)
}

// OpenLive finds or starts a server, as Obtain does, and begins to trace its clients. ctx
// limits only the start: the server runs until Close.
func (o ServerOptions) OpenLive(ctx context.Context, live LiveOptions, to Reporter) (_ *Live, err error) {
	running, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	serving, server, err := o.Obtain(running, to)
	if err != nil {
		stop()
		end(nil)
		return nil, err
	}
	l := &Live{server: server, serving: serving}
	last := new(trace.Recording) // from the last call of Keep, for the call of Done that follows
	l.clients, err = openClients(server.Server, clientsOptions{
		As: live.As, Secrets: o.Secrets,
		Keep: func(_ context.Context, request *trace.Request) (trace.Place, error) {
			recording := newRecording(server.Server, "request")
			recording.Requests = []trace.Request{*request}
			last = &recording
			return trace.Place{}, nil
		},
		Done: func(row Row) {
			if row.Err != nil {
				live.Untraced(row)
				return
			}
			live.Kept(row, last)
		},
	})
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	l.close = sync.OnceValue(func() error {
		var errs []error
		if l.clients != nil {
			errs = append(errs, l.clients.finish(), l.clients.Close())
		}
		errs = append(errs, server.Close())
		end(nil)
		return errors.Join(errs...)
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close ends the tracing of clients. It stops the server if apitrace started it for
// this Live.
func (l *Live) Close() error { return l.close() }

// Done is closed when the server has died or Close was called.
func (l *Live) Done() <-chan struct{} { return l.serving.Done() }

// Death returns why the server has died, or nil.
func (l *Live) Death() error { return deathOf(l.serving) }

// Release returns the server's release of Kubernetes.
func (l *Live) Release() string { return l.server.K8sVersion }

// Own reports whether the server ends with Close. Otherwise, "apitrace serve" keeps it
// running.
func (l *Live) Own() bool { return l.server.Server.Done() != nil }

// Environment returns variables, as "NAME=value", that make kubectl and client-go send
// traced requests. The values are file paths, never credentials.
func (l *Live) Environment() []string {
	return slices.DeleteFunc(l.clients.Environment(), func(variable string) bool { return !strings.HasPrefix(variable, "KUBE") })
}

// Replay replays a scenario as Run does. If the scenario needs a server of its own,
// Replay starts one.
func (l *Live) Replay(ctx context.Context, scenario *scenarios.Scenario, to Reporter, deliver func(*trace.Recording) error) error {
	own, err := l.server.options.forScenario(scenario)
	if err != nil {
		return err
	}
	if !own.shared() || !own.Own.Equal(l.server.options.Own) || own.ControlPlane != l.server.Cluster {
		return Run(ctx, l.server.options, scenario, to, deliver)
	}
	ctx, cancel := l.while(ctx)
	defer cancel()
	sample, err := l.server.options.sampleFor(ctx, scenario, to)
	if err != nil {
		return err
	}
	return l.server.replay(ctx, ctx, l.server.options, scenario, sample, to, deliver)
}

// Request sends a request and returns its trace, as Running.Request does.
func (l *Live) Request(ctx context.Context, h *scenarios.HTTP, timeout time.Duration, to Reporter) (*trace.Recording, *Answer, error) {
	ctx, cancel := l.while(ctx)
	defer cancel()
	recording, sent, err := l.server.Request(ctx, h, timeout, to)
	if err != nil {
		return nil, nil, err
	}
	answer := &Answer{Type: sent.Header.Get("Content-Type"), Body: sent.Body}
	if l.server.options.Secrets.Hidden(sent.Path) {
		answer.Body, answer.Hidden = nil, true
	}
	return recording, answer, nil
}

// An Answer is the body of a server's answer.
type Answer struct {
	// Type is its media type.
	Type string
	Body []byte
	// Hidden is set if the request's path names a resource that holds secrets. Body is
	// then nil.
	Hidden bool
}

// while returns a context that also ends when the server dies, with the reason as its
// cause.
func (l *Live) while(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.serving, func() { cancel(context.Cause(l.serving)) })
	return ctx, func() { stop(); cancel(nil) }
}
