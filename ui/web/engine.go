package web

import (
	"context"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/trace"
)

// An Engine starts the servers of the live views. A nil Engine in Options starts
// real servers. Tests use other engines.
type Engine interface {
	// Releases lists the releases that Start can start, the newest first.
	Releases(context.Context) ([]Buildable, error)
	// Start builds and starts a server, or finds a running
	// one. ctx limits the start, not the life of the server.
	Start(ctx context.Context, release string, live session.LiveOptions, to session.Reporter) (Server, error)
}

// A Server is the part of *session.Live that the live views use.
type Server interface {
	Release() string
	Own() bool
	Environment() []string
	Done() <-chan struct{}
	Death() error
	Replay(ctx context.Context, scenario *scenarios.Scenario, to session.Reporter, deliver func(*trace.Recording) error) error
	Request(ctx context.Context, h *scenarios.HTTP, timeout time.Duration, to session.Reporter) (*trace.Recording, *session.Answer, error)
	Close() error
}

// servers is the Engine of real servers.
type servers struct{}

func (servers) Releases(ctx context.Context) ([]Buildable, error) {
	all, err := machine.Releases(ctx)
	if err != nil {
		return nil, err
	}
	list := []Buildable{}
	for _, r := range slices.Backward(all) {
		if r.Checkout {
			continue // Start could not find the checkout by its name
		}
		list = append(list, Buildable{r.K8sVersion, r.Built == "yes"})
	}
	return list, nil
}

func (servers) Start(ctx context.Context, release string, live session.LiveOptions, to session.Reporter) (Server, error) {
	server, err := session.ServerOptions{Spec: session.Spec{Version: release}, Reuse: session.ReuseAny}.OpenLive(ctx, live, to)
	if err != nil { // never return a nil *session.Live in the interface
		return nil, err
	}
	return server, nil
}
