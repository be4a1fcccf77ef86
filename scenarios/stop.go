package scenarios

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// namespaces is the watch that an ending kube-apiserver waits for if Player.Held is "".
const namespaces = "/api/v1/namespaces?watch=true"

// end asks the server to end and meanwhile sends the scenario's requests. It creates and
// removes nothing.
func (p *Player) end(ctx context.Context, wire *wire, s *Scenario, after func(context.Context, *Request, *Sent) error) error {
	if p.Stop == nil {
		return message.Errorf("scenario %q ends the server, which this command does not do", s.Name)
	}
	run := &run{wire: wire, scenario: s, after: after, kept: kept{}, gone: p.Gone}
	if err := run.end(ctx, p); err != nil {
		return message.Errorf("scenario %q: %w", s.Name, err)
	}
	return nil
}

func (r *run) end(ctx context.Context, p *Player) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	held := cmp.Or(p.Held, namespaces)
	sent := &Sent{Method: http.MethodGet, Path: held}
	watch, err := r.wire.begin(ctx, &HTTP{Method: sent.Method, Path: held, As: Admin}, sent)
	if err != nil {
		return message.Errorf("holding a connection to the server: %w", err)
	}
	defer watch.Body.Close()
	if sent.Status != http.StatusOK {
		return sent.must(http.StatusOK)
	}
	go func() { _, _ = io.Copy(io.Discard, watch.Body) }() // ends with ctx
	if err := p.Stop(ctx); err != nil {
		return err
	}
	if err := r.requests(ctx); err != nil {
		return err
	}
	if err := r.wire.awaitNotListening(ctx); err != nil {
		return err
	}
	return p.Ending(ctx)
}

// awaitNotListening waits until the server accepts no more connections. Until then, its
// requests use the open connection, because a new connection would add calls to the
// trace.
func (w *wire) awaitNotListening(ctx context.Context) error {
	return poll(ctx, func() (bool, error) {
		sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: "/livez", As: Admin}, "")
		return errors.Is(sent.Err, syscall.ECONNREFUSED), ctx.Err()
	}, message.Of("the server to stop listening at %s", w.baseURL))
}
