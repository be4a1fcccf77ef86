package learner

import (
	"context"
	"errors"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/workshop"
)

// sayServer says how long a live exercise waits for a server on this machine, and why.
func (l *Learner) sayServer(ctx context.Context, e *workshop.Exercise) {
	built := l.hasServers(ctx, e)
	_, noGo := program.FindToolchain(ctx)
	var wait string
	switch {
	case noGo != nil && (e.Change != nil || !built):
		wait = l.p.Sprintf("(it needs a server that must be compiled first, and this machine has no Go that can compile it: \"apitrace workshop prepare --check\" says what to do;")
	case !built:
		wait = l.p.Sprintf("(it needs a server, which is built once, in a few minutes;")
	case e.Change != nil:
		wait = l.p.Sprintf("(\"check\" builds the server with your change, in a minute or less;")
	default:
		wait = l.p.Sprintf("(it needs a server, which starts in seconds;")
	}
	l.aside(wait + "\n" + l.p.Sprintf("to go on without: apitrace workshop next --skip)"))
}

// hasServers reports whether the cache has the traced servers that a live exercise
// needs. For a cache that cannot be read, it returns false; checking an answer then
// reports the error.
func (l *Learner) hasServers(ctx context.Context, e *workshop.Exercise) bool {
	cache, err := program.OpenCache("")
	if err != nil {
		return false
	}
	entries, err := cache.Entries(program.KindWorkspace, program.KindBuild)
	if err != nil {
		return false
	}
	stock, err := apiserver.CacheStatusOf(ctx, l.k8s, cache, entries)
	if err != nil || !stock.Built || !NeedsSample(e) {
		return err == nil && stock.Built
	}
	has, err := apiserver.HasBuild(ctx, sampleserver.Name, l.k8s, cache, entries)
	return err == nil && has
}

// whatIsLacking adds advice to an error about a missing Go.
func whatIsLacking(err error) error {
	if !errors.As(err, new(*program.NoGoError)) {
		return err
	}
	return message.Errorf("%w\nwhat this machine lacks for live exercises, and how to get it: apitrace workshop prepare --check", err)
}

// NeedsSample reports whether a live exercise needs the sample server.
func NeedsSample(e *workshop.Exercise) bool {
	switch {
	case e.Make != nil:
		return e.Make.Setup.Aggregated
	case e.Change != nil:
		s, err := scenarios.Find(e.Scenario)
		return strings.HasPrefix(e.Change.File, sampleserver.Module+"/") || err == nil && s.Setup.Aggregated
	}
	return false
}
