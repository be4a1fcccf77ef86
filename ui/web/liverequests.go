package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// use returns the server of a release. If it is not ready, it returns an error.
func (l *live) use(release string) (*liveServer, Server, error) {
	version, err := apiserver.ParseVersion(release)
	if err != nil {
		return nil, nil, notFound(err, message.Of("GET %s lists the servers", Base+"/live"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.find(version)
	if at < 0 {
		return nil, nil, l.noServer(version)
	}
	if s := l.servers[at]; s.State == stateReady {
		return s, s.server, nil
	}
	return nil, nil, conflict(message.Errorf("the server of %s is %s", version, stateNames[l.servers[at].State]), message.Of("wait until it is ready: GET %s reports changes", Base+"/live/events"))
}

// replay replays a scenario and keeps its recording. It ends
// early if ctx is done.
func (l *live) replay(ctx context.Context, release string, order ReplayOrder) (liveTrace, error) {
	s, server, err := l.use(release)
	if err != nil {
		return liveTrace{}, err
	}
	scenario, err := session.KnownScenario(order.Scenario, s.Release)
	if err != nil {
		return liveTrace{}, badRequest(withoutFiles(err), message.Of("GET %s lists the scenarios", Base+"/scenarios"))
	}
	if err := l.occupy(s, scenario.Name); err != nil {
		return liveTrace{}, err
	}
	defer l.change(s, func() { s.Busy = "" })
	to := &gatherer{}
	var kept liveTrace
	err = server.Replay(ctx, scenario, to, func(rec *trace.Recording) (err error) {
		kept, err = l.keep(LiveTrace{Kind: kindReplay, Title: scenario.Name}, untranslated{notices: to.all()}, rec)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return kept, gone(message.NewError("the replay was cancelled"))
	case err != nil && kept.ID == "":
		return kept, failed(err)
	case err != nil: // there is a trace, but not the expected one
		kept.notices = append(kept.notices, message.Of("%s", err))
	}
	return kept, nil
}

// occupy marks a server as busy with a scenario, because a server replays one
// scenario at a time. It returns an error if the server is already busy.
func (l *live) occupy(s *liveServer, scenario string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Busy != "" {
		return conflict(message.Errorf("the server of %s is replaying %q", s.Release, s.Busy), message.Of("wait until that has ended"))
	}
	s.Busy = scenario
	l.sendServers()
	return nil
}

// usualTimeout and mostTimeout are the default and
// the maximum timeout of a request, in seconds.
const usualTimeout, mostTimeout = 20, 300

// request sends a request and keeps its recording. It ends early if ctx is done.
func (l *live) request(ctx context.Context, release string, order RequestOrder) (liveTrace, error) {
	h, err := order.http()
	if err != nil {
		return liveTrace{}, err
	}
	if order.TimeoutSeconds < 0 || order.TimeoutSeconds > mostTimeout {
		return liveTrace{}, badRequest(message.Errorf("timeoutSeconds is %d", order.TimeoutSeconds), message.Of("expected at most %d", mostTimeout))
	}
	timeout := usualTimeout * time.Second
	if order.TimeoutSeconds > 0 {
		timeout = time.Duration(order.TimeoutSeconds) * time.Second
	}
	_, server, err := l.use(release)
	if err != nil {
		return liveTrace{}, err
	}
	to := &gatherer{}
	rec, answer, err := server.Request(ctx, h, timeout, to)
	switch {
	case ctx.Err() != nil:
		return liveTrace{}, gone(message.NewError("the request was cancelled"))
	case err != nil:
		return liveTrace{}, failed(err)
	}
	kept, err := l.keep(LiveTrace{Kind: kindRequest, Title: titleOf(rec)}, untranslated{notices: to.all()}, rec)
	kept.Answer = newLiveAnswer(answer) // only for the one who asked: it is not kept
	return kept, err
}

// mostAnswer is how many bytes of an answer the page gets.
const mostAnswer = 64 << 10

func newLiveAnswer(a *session.Answer) *LiveAnswer {
	out := &LiveAnswer{Type: a.Type, Bytes: len(a.Body), Hidden: a.Hidden}
	text := a.Body
	if indented := new(bytes.Buffer); json.Indent(indented, text, "", "  ") == nil {
		text = indented.Bytes()
	}
	if !utf8.Valid(text) {
		out.Cut = true
		return out
	}
	if out.Cut = len(text) > mostAnswer; out.Cut {
		text = bytes.ToValidUTF8(text[:mostAnswer], nil)
	}
	out.Text = string(text)
	return out
}

// http returns the request of an order, with the checks of "apitrace request".
func (o RequestOrder) http() (*scenarios.HTTP, error) {
	typed, err := o.typed(scenarios.Admin)
	if err != nil {
		return nil, err
	}
	return typed.HTTP() // typed has checked it without keeping the result
}

// typed returns the request of an order as a user types it. as is the user if the
// order names none. If the request is not valid, it returns an error.
func (o RequestOrder) typed(as string) (*scenarios.TypedRequest, error) {
	typed := &scenarios.TypedRequest{Method: strings.ToUpper(o.Method), Path: o.Path, Headers: o.Headers, As: cmp.Or(o.As, as), BodyFile: "the form"}
	if o.Body != "" {
		typed.Body = []byte(o.Body)
	}
	if _, err := typed.HTTP(); err != nil {
		refused := newError(http.StatusBadRequest, err, message.Of("correct the request and send it again"))
		if wrong := new(scenarios.FieldError); errors.As(err, &wrong) {
			refused.field = wrong.Field
		}
		return nil, refused
	}
	return typed, nil
}

// keepClient keeps the trace of a client's
// request, or the reason for a missing trace.
func (l *live) keepClient(release string, row session.Row, rec *trace.Recording) {
	head := LiveTrace{
		Kind: kindClient, Title: row.Method + " " + row.Path, Release: release, Status: row.Status, HungUp: row.HungUp,
		DurationNs: int64(row.Duration),
	}
	if _, err := l.keep(head, untranslated{failure: row.Err}, rec); err != nil {
		l.send(event{eventNotice, func(p message.Printer) any { return LiveNotice{release, p.Error(err)} }})
	}
}

// keep adds a recording to the store, and sends its entry to the listeners. rec
// may be nil if said has a failure.
func (l *live) keep(head LiveTrace, said untranslated, rec *trace.Recording) (liveTrace, error) {
	head.Received = time.Now()
	if rec != nil {
		head.Release, head.Requests, head.Etcd = rec.K8sVersion, len(rec.Requests), session.Operations(rec)
		for _, r := range rec.Requests {
			head.Calls += len(r.Calls)
			head.Status = r.Status
			if head.Kind != kindClient && len(r.Calls) > 0 {
				head.DurationNs += r.Calls[0].DurationNs
			}
		}
	}
	kept, err := l.store.add(liveTrace{head, said}, rec)
	if err == nil {
		l.send(event{eventTrace, func(p message.Printer) any { return kept.in(p) }})
	}
	return kept, err
}
