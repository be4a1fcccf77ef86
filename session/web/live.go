package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// mostServers is how many servers run at the same time, one of each release.
	mostServers = 2
	// mostNotices is how many notices of a server are kept.
	mostNotices = 20
	// graceTime is how long servers stay when nobody listens: a page that is loaded anew comes back by then.
	graceTime = 10 * time.Second
	// progressPause is how often the progress of a build is sent at most.
	progressPause = 200 * time.Millisecond
)

// live are the servers that were started for the page and for programs, and the events that tell of them. A server
// stays as long as somebody listens, and the grace.
type live struct {
	engine Engine
	shelf  *shelf
	grace  time.Duration

	mu        sync.Mutex
	servers   []*liveServer
	listeners map[chan event]bool
	leaving   *time.Timer // ends all servers; nil while somebody listens, or there is no server
	ended     bool
	running   sync.WaitGroup // the goroutines of servers
}

// A liveServer is a server from when it was asked for until it is gone. live.mu guards it.
type liveServer struct {
	LiveServer
	server Server
	cancel context.CancelCauseFunc
	gone   chan struct{}
	// told is when the progress was sent last.
	told time.Time
}

var errNotWanted = message.NewError("the server is no longer wanted")

func newLive(engine Engine, kept *shelf, grace time.Duration) *live {
	if engine == nil {
		engine = servers{}
	}
	if grace == 0 {
		grace = graceTime
	}
	return &live{engine: engine, shelf: kept, grace: grace, listeners: map[chan event]bool{}}
}

// start begins to start a server, and returns its state. A failed one of the same release gives way.
func (l *live) start(order ServerOrder) (LiveServer, error) {
	release, err := apiserver.ParseVersion(order.Release)
	if err != nil {
		return LiveServer{}, badRequest(err, "GET "+Base+"/live lists the releases")
	}
	as := order.As
	if as == "" {
		as = scenarios.Admin
	}
	if as == scenarios.Stranger || !slices.Contains(scenarios.Askers(), as) {
		return LiveServer{}, badRequest(message.Errorf("unknown user %q", as), "expected admin, learner or anonymous")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return LiveServer{}, conflict(message.NewError("apitrace is ending"), "")
	}
	l.servers = slices.DeleteFunc(l.servers, func(s *liveServer) bool { return s.Release == release && s.State == stateFailed })
	if at := l.find(release); at >= 0 {
		return LiveServer{}, conflict(message.Errorf("there is a server of %s already, which is %s", release, l.servers[at].State), "use it, or stop it first")
	}
	if running := slices.DeleteFunc(slices.Clone(l.servers), func(s *liveServer) bool { return s.State == stateFailed }); len(running) >= mostServers {
		return LiveServer{}, conflict(message.Errorf("%d servers are running: no more than that at the same time", len(running)), "stop one of them first")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &liveServer{cancel: cancel, gone: make(chan struct{}), LiveServer: LiveServer{
		Release: release, As: as, State: stateStarting, Notices: []string{}, Commands: []string{},
	}}
	l.servers = append(l.servers, s)
	l.watchOver()
	l.tellServers()
	l.running.Go(func() { l.run(ctx, s) })
	return s.LiveServer, nil
}

func (l *live) find(release string) int {
	return slices.IndexFunc(l.servers, func(s *liveServer) bool { return s.Release == release })
}

// run starts a server, and keeps it until it dies or is no longer wanted.
func (l *live) run(ctx context.Context, s *liveServer) {
	defer close(s.gone)
	defer s.cancel(nil)
	server, err := l.engine.Start(ctx, s.Release, session.LiveOptions{
		As:       s.As,
		Kept:     func(row session.Row, rec *trace.Recording) { l.keepClient(s.Release, row, rec) },
		Untraced: func(row session.Row) { l.keepClient(s.Release, row, nil) },
	}, &reporter{l, s})
	if err != nil {
		l.over(s, err, context.Cause(ctx) != nil)
		return
	}
	l.ready(s, server)
	select {
	case <-server.Done():
		err = server.Death()
		if err == nil {
			err = message.NewError("the server has ended")
		}
	case <-ctx.Done():
	}
	l.change(s, func() {
		s.Kubeconfig, s.Commands, s.server = "", []string{}, nil
		if err == nil {
			s.State = stateStopping
		}
	})
	closed := server.Close()
	l.over(s, errors.Join(err, closed), ctx.Err() != nil && closed == nil)
}

// ready says that a server can be used.
func (l *live) ready(s *liveServer, server Server) {
	l.change(s, func() {
		s.server, s.Progress, s.Own = server, nil, server.Own()
		if s.State == stateStarting {
			s.State = stateReady
		}
		for _, variable := range server.Environment() {
			s.Commands = append(s.Commands, "export "+variable)
			if file, ok := strings.CutPrefix(variable, "KUBECONFIG="); ok {
				s.Kubeconfig = file
			}
		}
		s.Commands = append(s.Commands, "kubectl get namespaces")
	})
}

// over forgets a server that is gone, unless it failed: that is to be read.
func (l *live) over(s *liveServer, err error, wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Progress, s.Busy = nil, ""
	if wanted || err == nil {
		l.servers = slices.DeleteFunc(l.servers, func(other *liveServer) bool { return other == s })
	} else {
		s.State, s.Error = stateFailed, err.Error()
	}
	l.tellServers()
}

// change changes what is known of a server, and tells.
func (l *live) change(s *liveServer, how func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how()
	l.tellServers()
}

// stop begins to stop a server, or to end its start; one that failed is forgotten.
func (l *live) stop(release string) (LiveServer, error) {
	version, err := apiserver.ParseVersion(release)
	if err != nil {
		return LiveServer{}, notFound(err, "GET "+Base+"/live lists the servers")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.find(version)
	if at < 0 {
		return LiveServer{}, l.noServer(version)
	}
	s := l.servers[at]
	if s.State == stateFailed {
		l.servers = slices.Delete(l.servers, at, at+1)
	} else {
		s.State = stateStopping
		s.cancel(errNotWanted)
	}
	l.tellServers()
	return s.copied(), nil
}

func (l *live) noServer(release string) error {
	return notFound(message.Errorf("there is no server of %s", release), "POST "+Base+"/live/servers starts one")
}

// use returns a server that is ready.
func (l *live) use(release string) (*liveServer, Server, error) {
	version, err := apiserver.ParseVersion(release)
	if err != nil {
		return nil, nil, notFound(err, "GET "+Base+"/live lists the servers")
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
	return nil, nil, conflict(message.Errorf("the server of %s is %s", version, l.servers[at].State), "wait until it is ready: GET "+Base+"/live/events tells")
}

// replay replays a scenario and keeps its recording. ctx ends it.
func (l *live) replay(ctx context.Context, release string, order ReplayOrder) (LiveTrace, error) {
	s, server, err := l.use(release)
	if err != nil {
		return LiveTrace{}, err
	}
	if strings.ContainsAny(order.Scenario, `./\`) { // session.FindScenario would read a file
		return LiveTrace{}, badRequest(message.Errorf("%q is not the name of a scenario", order.Scenario), "GET "+Base+"/scenarios lists the scenarios")
	}
	scenario, err := session.FindScenario(order.Scenario, s.Release)
	if err != nil {
		return LiveTrace{}, badRequest(err, "GET "+Base+"/scenarios lists the scenarios")
	}
	if err := l.occupy(s, scenario.Name); err != nil {
		return LiveTrace{}, err
	}
	defer l.change(s, func() { s.Busy = "" })
	to := &gatherer{}
	var kept LiveTrace
	began := time.Now()
	err = server.Replay(ctx, scenario, to, func(rec *trace.Recording) (err error) {
		kept, err = l.keep(LiveTrace{Kind: kindReplay, Title: scenario.Name, DurationNs: int64(time.Since(began)), Notices: to.all()}, rec)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return kept, gone(message.NewError("the replay was cancelled"))
	case err != nil && kept.ID == "":
		return kept, failed(err)
	case err != nil: // there is a trace, which is not what was expected
		kept.Notices = append(kept.Notices, err.Error())
	}
	return kept, nil
}

// occupy notes which scenario a server replays: one at a time.
func (l *live) occupy(s *liveServer, scenario string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Busy != "" {
		return conflict(message.Errorf("the server of %s is replaying %q", s.Release, s.Busy), "wait until that has ended")
	}
	s.Busy = scenario
	l.tellServers()
	return nil
}

// usualTimeout and mostTimeout bound how long a request may take, in seconds.
const usualTimeout, mostTimeout = 20, 300

// request sends a request and keeps its trace. ctx ends it.
func (l *live) request(ctx context.Context, release string, order RequestOrder) (LiveTrace, error) {
	h, err := order.http()
	if err != nil {
		return LiveTrace{}, err
	}
	if order.TimeoutSeconds < 0 || order.TimeoutSeconds > mostTimeout {
		return LiveTrace{}, badRequest(message.Errorf("timeoutSeconds is %d", order.TimeoutSeconds), fmt.Sprintf("expected at most %d", mostTimeout))
	}
	timeout := usualTimeout * time.Second
	if order.TimeoutSeconds > 0 {
		timeout = time.Duration(order.TimeoutSeconds) * time.Second
	}
	_, server, err := l.use(release)
	if err != nil {
		return LiveTrace{}, err
	}
	to := &gatherer{}
	rec, err := server.Request(ctx, h, timeout, to)
	switch {
	case ctx.Err() != nil:
		return LiveTrace{}, gone(message.NewError("the request was cancelled"))
	case err != nil:
		return LiveTrace{}, failed(err)
	}
	return l.keep(LiveTrace{Kind: kindRequest, Title: titleOf(rec), Notices: to.all()}, rec)
}

// http returns the request of an order, checked as "apitrace request" checks it.
func (o RequestOrder) http() (*scenarios.HTTP, error) {
	typed, err := o.typed(scenarios.Admin)
	if err != nil {
		return nil, err
	}
	return typed.HTTP() // again, for the result
}

// typed returns the request of an order as a person types it, checked. as is who asks where the order does not say.
func (o RequestOrder) typed(as string) (*scenarios.TypedRequest, error) {
	typed := &scenarios.TypedRequest{Method: strings.ToUpper(o.Method), Path: o.Path, Headers: o.Headers, As: cmp.Or(o.As, as), BodyFile: "the form"}
	if o.Body != "" {
		typed.Body = []byte(o.Body)
	}
	if _, err := typed.HTTP(); err != nil {
		return nil, badRequest(err, "correct the request and send it again")
	}
	return typed, nil
}

// keepClient keeps the trace of a client's request, or says why there is none.
func (l *live) keepClient(release string, row session.Row, rec *trace.Recording) {
	head := LiveTrace{
		Kind: kindClient, Title: row.Method + " " + row.Path, Release: release, Status: row.Status, HungUp: row.HungUp,
		DurationNs: int64(row.Duration), Etcd: row.Operations(), Notices: []string{},
	}
	if row.Err != nil {
		head.Error = row.Err.Error()
	}
	if _, err := l.keep(head, rec); err != nil {
		l.tell(event{name: eventNotice, data: LiveNotice{release, err.Error()}})
	}
}

// keep puts a recording on the shelf and tells of it. rec may be nil if head has an Error.
func (l *live) keep(head LiveTrace, rec *trace.Recording) (LiveTrace, error) {
	head.Received = time.Now()
	if rec != nil {
		head.Release, head.Requests = rec.K8sVersion, len(rec.Requests)
		for _, r := range rec.Requests {
			head.Calls += len(r.Calls)
			head.Status = r.Status
			if head.Kind != kindClient && head.Kind != kindReplay && len(r.Calls) > 0 {
				head.DurationNs += r.Calls[0].DurationNs
			}
		}
	}
	if head.Notices == nil {
		head.Notices = []string{}
	}
	kept, err := l.shelf.add(head, rec)
	if err == nil {
		l.tell(event{name: eventTrace, data: kept})
	}
	return kept, err
}

// state returns what is going on.
func (l *live) state(ctx context.Context) (LiveState, error) {
	releases, err := l.engine.Releases(ctx)
	if err != nil {
		return LiveState{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return LiveState{
		Releases: releases, Askers: scenarios.Askers(), Servers: l.copied(), Traces: l.shelf.list(),
		Limits: LiveLimits{mostServers, mostLive, mostBody, mostUpload, int(l.grace.Seconds())},
	}, nil
}

// close stops all servers, and returns when they are gone.
func (l *live) close() {
	l.mu.Lock()
	l.ended = true
	l.stopAll()
	l.mu.Unlock()
	l.running.Wait()
}

// stopAll begins to stop all servers.
func (l *live) stopAll() {
	for _, s := range l.servers {
		if s.State != stateFailed {
			s.State = stateStopping
			s.cancel(errNotWanted)
		}
	}
	l.tellServers()
}

// watchOver has the servers stopped after the grace if nobody listens.
func (l *live) watchOver() {
	if l.leaving != nil {
		l.leaving.Stop()
		l.leaving = nil
	}
	if len(l.listeners) > 0 {
		return
	}
	l.leaving = time.AfterFunc(l.grace, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.listeners) == 0 {
			l.stopAll()
		}
	})
}

// copied returns the servers as they are now.
func (l *live) copied() []LiveServer {
	list := []LiveServer{}
	for _, s := range l.servers {
		list = append(list, s.copied())
	}
	return list
}

func (s *liveServer) copied() LiveServer {
	c := s.LiveServer
	c.Notices, c.Commands = slices.Clone(s.Notices), slices.Clone(s.Commands)
	if s.Progress != nil {
		progress := *s.Progress
		c.Progress = &progress
	}
	return c
}

// A reporter tells listeners of what happens to a server.
type reporter struct {
	*live
	server *liveServer
}

// Notice implements session.Reporter.
func (r *reporter) Notice(format string, args ...any) {
	said := text.EscapeLines(message.For("").Sprintf(format, args...))
	r.change(r.server, func() {
		r.server.Notices = append(r.server.Notices, said)
		r.server.Notices = r.server.Notices[max(0, len(r.server.Notices)-mostNotices):]
	})
}

// Building implements session.Reporter.
func (r *reporter) Building() session.BuildReporter { return buildReporter{r} }

type buildReporter struct{ *reporter }

// Report implements program.Progress.
func (b buildReporter) Report(e program.Event) {
	if !e.Note.IsZero() {
		b.Notice("%s", e.Note)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server.Progress = &LiveProgress{e.Program, string(e.Stage), e.Done, e.Total}
	if now := time.Now(); now.Sub(b.server.told) >= progressPause || e.Done == e.Total {
		b.server.told = now
		b.tellServers()
	}
}

// Close implements session.BuildReporter.
func (b buildReporter) Close() { b.change(b.server, func() { b.server.Progress = nil }) }

// A gatherer keeps what is to be known of a replay or a request.
type gatherer struct {
	mu      sync.Mutex
	notices []string
}

// Notice implements session.Reporter.
func (g *gatherer) Notice(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notices = append(g.notices, text.EscapeLines(message.For("").Sprintf(format, args...)))
}

// Building implements session.Reporter.
func (g *gatherer) Building() session.BuildReporter { return silent{} }

// all returns the notices so far.
func (g *gatherer) all() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string{}, g.notices...)
}

type silent struct{}

func (silent) Report(program.Event) {}
func (silent) Close()               {}

func conflict(err error, action string) error {
	return newError(http.StatusConflict, err, action)
}

// failed is the error of something that the server did not do.
func failed(err error) error {
	return newError(http.StatusBadGateway, err, "look at what the message says, and try again")
}

// gone is for a client that no longer waits for the answer.
func gone(err error) error { return newError(499, err, "") }
