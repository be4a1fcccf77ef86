package scenarios

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Player replays scenarios against one kube-apiserver, which it treats as disposable.
// It deletes a scenario's objects before and after the replay, even if somebody else
// created an object of that name.
type Player struct {
	// BaseURL is the address of the server: "https://127.0.0.1:6443".
	BaseURL string
	// CAPEM has the certificates of the authority that signed the server's certificate.
	CAPEM []byte
	// AdminToken is the bearer token of a user in system:masters.
	AdminToken string
	// UserTokens are bearer tokens of the user "learner", at least one. The learner has
	// only the rights that the scenario grants. No other client should use the tokens.
	// The server caches the user of a token for some seconds. With a second token, no run
	// waits until the first token's entry has expired.
	UserTokens []string
	// LockFile makes runs against one server wait for each other, because they use the
	// same names of objects. All players of the server must name the same file, which is
	// created if necessary. It is "" for a server without other players.
	LockFile string
	// Gone is closed when the server has ended: then there is nothing to clean up. It may
	// be nil.
	Gone <-chan struct{}
	// Waiting, if not nil, is called once if another run holds LockFile.
	Waiting func()
	// Before, if not nil, is called before each traced request, after the warm-up, but
	// not during a watch. Its error ends the run.
	Before func(context.Context) error
	// Aggregate starts a scenario's aggregated server, and returns when it serves. stop
	// ends that server. If Aggregate is nil, a scenario that needs it is rejected.
	Aggregate func(context.Context) (stop func(context.Context) error, err error)
	// Stop asks the server to end, for a scenario that traces the end. If it is nil, such
	// a scenario is rejected.
	Stop func(context.Context) error
	// Held is the path of a watch. An ending server waits for the watch's connection. ""
	// means the watch of kube-apiserver's namespaces.
	Held string
	// Ending is called when the server has stopped listening and only waits for the
	// connection of Held. The player closes this connection afterwards. Ending must be
	// set if Stop is set.
	Ending func(context.Context) error
}

// cleanupTimeout limits the cleanup, which must also run after Ctrl-C. It exceeds
// pollTimeout, because the cleanup polls.
const cleanupTimeout = 2 * time.Minute

// Play creates the state that the scenario needs, sends its requests in order, and
// deletes the created objects, even after an error or when ctx ends. An answer with an
// unexpected status ends the run with an error.
//
// after, if not nil, is called for each traced request when its answer has been read,
// even an unexpected answer, before the next request is sent. The answer to a watch has
// been read when the watch ends. Then after is called for the watch, and next for the
// traced requests that were sent during the watch. An error of after ends the run.
func (p *Player) Play(ctx context.Context, s *Scenario, after func(context.Context, *Request, *Sent) error) (err error) {
	lock, err := takeLock(ctx, p.LockFile, p.Waiting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	wire, err := newWire(p, lock)
	if err != nil {
		return err
	}
	defer wire.close()

	if s.Stop != nil {
		return p.end(ctx, wire, s, after)
	}
	stop, err := p.aggregate(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	run := &run{wire: wire, scenario: s, before: p.Before, after: after, kept: kept{}, gone: p.Gone}
	if err := run.prepare(ctx); err != nil {
		return errors.Join(message.Errorf("preparing scenario %q: %w", s.Name, err), run.cleanUp(ctx))
	}
	if err := run.requests(ctx); err != nil {
		return errors.Join(message.Errorf("scenario %q: %w", s.Name, err), run.cleanUp(ctx))
	}
	return run.cleanUp(ctx)
}

// aggregate starts the scenario's aggregated server, if needed.
func (p *Player) aggregate(ctx context.Context, s *Scenario) (stop func() error, err error) {
	if !s.Setup.Aggregated {
		return func() error { return nil }, nil
	}
	if p.Aggregate == nil {
		return nil, message.Errorf("scenario %q needs an aggregated server, which this command does not start", s.Name)
	}
	end, err := p.Aggregate(ctx)
	if err != nil {
		return nil, message.Errorf("scenario %q: %w", s.Name, err)
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		return end(ctx)
	}, nil
}

// Send sends one traced request that belongs to no scenario, once and unchanged,
// without setup, warm-up and cleanup. It ignores the expectations in h. If the answer
// takes longer than h.Timeout, Sent.Err wraps context.DeadlineExceeded.
func (p *Player) Send(ctx context.Context, h *HTTP) (*Sent, error) {
	lock, err := takeLock(ctx, p.LockFile, p.Waiting)
	if err != nil {
		return nil, err
	}
	wire, err := newWire(p, lock)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	defer wire.close()
	sent := wire.send(ctx, h, trace.NewTraceID())
	return sent, lock.release()
}

// A run is one replay of a scenario.
type run struct {
	wire     *wire
	scenario *Scenario
	before   func(context.Context) error
	after    func(context.Context, *Request, *Sent) error
	webhooks webhooks
	objects  []object // of the scenario's setup
	rights   []rights // from the scenario's setup
	kept     kept
	open     []func() // each ends a request with LeaveOpen
	gone     <-chan struct{}
}

// prepare creates the state before the first request. It first removes the objects of a
// killed run.
func (r *run) prepare(ctx context.Context) error {
	var err error
	if r.webhooks, err = serveWebhooks(ctx, r.scenario.Setup.Webhooks, r.kept, r.wire); err != nil {
		return err
	}
	if r.objects, err = r.wire.locate(ctx, r.kept.fillAll(r.scenario.Setup.Objects)); err != nil {
		return err
	}
	if r.rights, err = rightsIn(r.objects); err != nil {
		return err
	}
	if err := r.ensureNamespace(ctx); err != nil {
		return err
	}
	if err := r.sweep(ctx); err != nil {
		return err
	}
	for _, o := range r.objects {
		if err := r.wire.create(ctx, o); err != nil {
			return err
		}
	}
	return r.awaitRights(ctx, true)
}

// cleanUp deletes the created objects, even if ctx has ended.
func (r *run) cleanUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	err := r.unlessGone(ctx, r.sweep)
	if err != nil {
		err = message.Errorf("cleaning up after scenario %q: %w", r.scenario.Name, err)
	}
	// Close the webhooks last, because the server may call them until their configuration
	// is removed.
	return errors.Join(err, r.webhooks.close())
}

// unlessGone calls do. If the server ends before do returns, unlessGone cancels do and
// returns nil.
func (r *run) unlessGone(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		return err
	case <-r.gone:
		cancel()
		<-done
		return nil
	}
}

// requests sends the scenario's requests.
func (r *run) requests(ctx context.Context) error {
	defer r.closeOpen()
	for i := range r.scenario.Requests {
		request := &r.scenario.Requests[i]
		play := r.untraced
		switch {
		case request.Traced:
			play = r.traced
		case request.LeaveOpen:
			play = r.leaveOpen
		}
		if err := play(ctx, request); err != nil {
			return message.Errorf("request %d (%s): %w", i+1, request.at, err)
		}
	}
	return nil
}

func (r *run) untraced(ctx context.Context, request *Request) error {
	_, err := r.do(ctx, &request.HTTP)
	return err
}

// leaveOpen sends an untraced request and returns once the server has called the webhook
// of its Asks. closeOpen ends the request.
func (r *run) leaveOpen(ctx context.Context, request *Request) error {
	h := r.kept.fill(&request.HTTP)
	sending, cancel := context.WithCancel(ctx)
	sent, err := r.wire.request(sending, h, "")
	if err != nil {
		cancel()
		return err
	}
	if h.asker() == Learner {
		r.wire.learner.used(time.Now())
	}
	before := r.webhooks.asked(h.Asks)
	ended := make(chan error, 1)
	go func() {
		answer, err := r.wire.client.Do(sent)
		if err == nil {
			answer.Body.Close()
			err = message.Errorf("%s %s was answered %d, expected to wait for the webhook %q", h.Method, h.Path, answer.StatusCode, h.Asks)
		}
		ended <- err
	}()
	r.open = append(r.open, func() {
		cancel()
		<-ended
	})
	return poll(ctx, func() (bool, error) {
		select {
		case err := <-ended:
			ended <- err // for closeOpen
			return false, err
		default:
			return r.webhooks.asked(h.Asks) > before, nil
		}
	}, message.Of("%s %s to reach the webhook %q", h.Method, h.Path, h.Asks))
}

// closeOpen ends the requests with LeaveOpen.
func (r *run) closeOpen() {
	for _, end := range r.open {
		end()
	}
}

// do sends an untraced request, waits until the caches have its changes, and returns the
// answer.
func (r *run) do(ctx context.Context, h *HTTP) (*Sent, error) {
	h = r.kept.fill(h)
	if h.Await > 0 && h.lenient {
		sent := r.awaitUsual(ctx, h)
		return sent, r.accept(ctx, h, sent)
	}
	if h.Await > 0 {
		sent, err := r.await(ctx, h)
		if err != nil {
			return nil, err
		}
		return sent, r.accept(ctx, h, sent)
	}
	sent := r.send(ctx, h, "")
	return sent, r.accept(ctx, h, sent)
}

// send sends a request, which may be a watch.
func (r *run) send(ctx context.Context, h *HTTP, traceID string) *Sent {
	before := r.webhooks.asked(h.Asks)
	r.webhooks.begin(h.Asks)
	var sent *Sent
	if h.isWatch() {
		sent = inTime(ctx, h, traceID, func(ctx context.Context, sent *Sent) error { return r.watch(ctx, h, sent) })
	} else {
		sent = r.wire.send(ctx, h, traceID)
	}
	sent.asked = h.Asks == "" || r.webhooks.asked(h.Asks) > before
	if silent := r.webhooks.waiting(); sent.Err != nil && len(silent) > 0 {
		sent.Err = message.Errorf("%w; the webhook %s has been asked and has not answered yet", sent.Err, message.List(silent))
	}
	return sent
}

// accept returns an error for an unexpected answer. Otherwise it keeps the values that
// later requests need, and waits until the caches have the request's changes.
func (r *run) accept(ctx context.Context, h *HTTP, sent *Sent) error {
	if err := sent.must(h.expected()...); err != nil {
		return err
	}
	if !sent.asked {
		return message.Errorf("%s %s was answered %d, but the server has not asked the webhook %q: do the rules of its configuration match the request?", h.Method, h.Path, sent.Status, h.Asks)
	}
	if err := r.kept.take(h, sent.Body); err != nil {
		return err
	}
	if h.lenient {
		ctx, cancel := context.WithTimeout(ctx, usualTimeout)
		defer cancel()
		_ = r.wire.settle(ctx, h, sent) // this server may never have the expected changes
		return nil
	}
	return r.wire.settle(ctx, h, sent)
}

// traced warms the server up and sends the request with a trace ID.
func (r *run) traced(ctx context.Context, request *Request) error {
	if err := r.warmUp(ctx, request); err != nil {
		return message.Errorf("warming up: %w", err)
	}
	h := r.kept.fill(&request.HTTP)
	if r.before != nil {
		if err := r.before(ctx); err != nil {
			return err
		}
	}
	sent := r.send(ctx, h, trace.NewTraceID())
	// Show the path as in the scenario's file, because kept values differ in each run.
	sent.Path = request.Path
	if err := r.handOver(ctx, request, sent); err != nil {
		return err
	}
	return r.accept(ctx, h, sent)
}

// handOver calls after for a traced request, and for the traced requests during it.
func (r *run) handOver(ctx context.Context, request *Request, sent *Sent) error {
	if r.after == nil || ctx.Err() != nil {
		return nil
	}
	if err := r.after(ctx, request, sent); err != nil {
		return err
	}
	for _, d := range sent.during {
		if err := r.after(ctx, d.request, d.sent); err != nil {
			return err
		}
	}
	return nil
}

// warmUp sends the warm-up. Lazy initialization is then done, and temporary cache entries
// exist, when the traced request comes.
func (r *run) warmUp(ctx context.Context, request *Request) error {
	if err := r.wire.learner.keepClearOfExpiry(ctx); err != nil {
		return err
	}
	for _, h := range request.warmups() {
		if err := r.warm(ctx, &h); err != nil {
			return err
		}
	}
	return nil
}

// quietTries limits how often warm sends a read, because a list may change all the time.
const quietTries = 20

// warm sends one request of a warm-up. It repeats a read until two successive answers are
// the same. A list's answer has the store's revision, so equal answers mean that no other
// writer is active, such as a server that has just started. A list right after a write
// waits for the cache, and its trace would show that. A failed read tells nothing about
// writers and may take until a timeout, so it is sent once.
func (r *run) warm(ctx context.Context, h *HTTP) error {
	var previous []byte
	for range quietTries {
		sent, err := r.do(ctx, h)
		if err != nil {
			return err
		}
		if h.Method != http.MethodGet || h.isWatch() || !succeeded(sent.Status) || bytes.Equal(sent.Body, previous) {
			return nil
		}
		previous = sent.Body
	}
	return nil
}
