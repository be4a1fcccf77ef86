package web

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// mostServers is the maximum number of servers
	// that run at the same time, one per release.
	mostServers = 2
	// mostNotices is the maximum number of notices that are kept for each server.
	mostNotices = 20
	// graceTime is the time that servers stay without a listener.
	// A page that is reloaded connects again within this time.
	graceTime = 10 * time.Second
	// progressPause is the minimum time between two reports of a build's progress.
	progressPause = 200 * time.Millisecond
)

// live has the servers that were started for the page and for programs, and
// sends events about them. The servers run while there is a listener, and for
// the grace time after that.
type live struct {
	engine Engine
	store  *recordingStore
	grace  time.Duration

	mu        sync.Mutex
	servers   []*liveServer
	listeners map[chan event]bool
	leaving   *time.Timer // stops all servers after the grace time; nil while there is a listener
	ended     bool
	running   sync.WaitGroup // the goroutines of live.run
}

// A liveServer is a server from the request to start it until it is
// gone. live.mu guards it.
type liveServer struct {
	serverState
	server Server
	cancel context.CancelCauseFunc
	// lastSent is the time when the progress was last sent.
	lastSent time.Time
}

var errNotWanted = message.NewError("the server is no longer needed")

func newLive(engine Engine, kept *recordingStore, grace time.Duration) *live {
	if engine == nil {
		engine = servers{}
	}
	if grace == 0 {
		grace = graceTime
	}
	return &live{engine: engine, store: kept, grace: grace, listeners: map[chan event]bool{}}
}

// start begins to start a server, and returns its state.
// It replaces a failed server of the same release.
func (l *live) start(order ServerOrder) (serverState, error) {
	release, err := apiserver.ParseVersion(order.Release)
	if err != nil {
		return serverState{}, badRequest(err, message.Of("GET %s lists the releases", Base+"/live"))
	}
	as := order.As
	if as == "" {
		as = scenarios.Admin
	}
	if as == scenarios.Stranger || !slices.Contains(scenarios.Askers(), as) {
		return serverState{}, badRequest(message.Errorf("unknown user %q", as), message.Of("expected admin, learner or anonymous"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return serverState{}, conflict(message.NewError("apitrace is ending"), message.Message{})
	}
	l.servers = slices.DeleteFunc(l.servers, func(s *liveServer) bool { return s.Release == release && s.State == stateFailed })
	if at := l.find(release); at >= 0 {
		return serverState{}, conflict(message.Errorf("there is a server of %s already, which is %s", release, stateNames[l.servers[at].State]), message.Of("use it, or stop it first"))
	}
	if running := slices.DeleteFunc(slices.Clone(l.servers), func(s *liveServer) bool { return s.State == stateFailed }); len(running) >= mostServers {
		return serverState{}, conflict(message.Errorf("%d servers are running: no more can run at the same time", len(running)), message.Of("stop one of them first"))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &liveServer{cancel: cancel}
	s.LiveServer = LiveServer{Release: release, As: as, State: stateStarting, Commands: []string{}}
	l.servers = append(l.servers, s)
	l.resetGrace()
	l.sendServers()
	l.running.Go(func() { l.run(ctx, s) })
	return s.copied(), nil
}

func (l *live) find(release string) int {
	return slices.IndexFunc(l.servers, func(s *liveServer) bool { return s.Release == release })
}

// run starts a server, and stops it when it dies or ctx is done.
func (l *live) run(ctx context.Context, s *liveServer) {
	defer s.cancel(nil)
	server, err := l.engine.Start(ctx, s.Release, session.LiveOptions{
		As:       s.As,
		Kept:     func(row session.Row, rec *trace.Recording) { l.keepClient(s.Release, row, rec) },
		Untraced: func(row session.Row) { l.keepClient(s.Release, row, nil) },
	}, &reporter{l, s})
	if err != nil {
		l.finish(s, err, context.Cause(ctx) != nil)
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
	l.finish(s, errors.Join(err, closed), ctx.Err() != nil && closed == nil)
}

// ready marks a server as ready.
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

// finish removes a server that has ended. If it has failed, it stays with the
// state failed, so that its error can be read.
func (l *live) finish(s *liveServer, err error, wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Progress, s.Busy = nil, ""
	if wanted || err == nil {
		l.servers = slices.DeleteFunc(l.servers, func(other *liveServer) bool { return other == s })
	} else {
		s.State, s.failure = stateFailed, err
	}
	l.sendServers()
}

// change calls how while it holds l.mu. Then it sends the state of all
// servers to the listeners.
func (l *live) change(s *liveServer, how func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how()
	l.sendServers()
}

// stop begins to stop a server, or to cancel its start. A
// failed server is removed.
func (l *live) stop(release string) (serverState, error) {
	version, err := apiserver.ParseVersion(release)
	if err != nil {
		return serverState{}, notFound(err, message.Of("GET %s lists the servers", Base+"/live"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.find(version)
	if at < 0 {
		return serverState{}, l.noServer(version)
	}
	s := l.servers[at]
	if s.State == stateFailed {
		l.servers = slices.Delete(l.servers, at, at+1)
	} else {
		s.State = stateStopping
		s.cancel(errNotWanted)
	}
	l.sendServers()
	return s.copied(), nil
}

func (l *live) noServer(release string) error {
	return notFound(message.Errorf("there is no server of %s", release), message.Of("POST %s starts one", Base+"/live/servers"))
}

// state lists the servers, their recordings, and the releases that can be started.
func (l *live) state(ctx context.Context, p message.Printer) (LiveState, error) {
	releases, err := l.engine.Releases(ctx)
	if err != nil {
		return LiveState{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return LiveState{
		Releases: releases, Askers: scenarios.Askers(), Servers: allIn(l.copied(), p), Traces: allIn(l.store.list(), p),
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

// stopAll begins to stop all servers that have not failed.
// The caller must hold l.mu.
func (l *live) stopAll() {
	for _, s := range l.servers {
		if s.State != stateFailed {
			s.State = stateStopping
			s.cancel(errNotWanted)
		}
	}
	l.sendServers()
}

// resetGrace ends the grace time if there is a listener, and otherwise begins it
// again. After it, all servers stop. The caller must hold l.mu.
func (l *live) resetGrace() {
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

// copied returns a copy of the servers' states. The caller must hold l.mu.
func (l *live) copied() []serverState {
	list := []serverState{}
	for _, s := range l.servers {
		list = append(list, s.copied())
	}
	return list
}

func (s *serverState) copied() serverState {
	c := *s
	c.notices, c.Commands = slices.Clone(s.notices), slices.Clone(s.Commands)
	if s.Progress != nil {
		progress := *s.Progress
		c.Progress = &progress
	}
	return c
}
