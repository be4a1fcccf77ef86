package web

import (
	"slices"
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// A reporter sends the notices and the build progress of a server to the listeners.
type reporter struct {
	*live
	server *liveServer
}

// Notice implements session.Reporter.
func (r *reporter) Notice(format string, args ...any) {
	r.change(r.server, func() {
		r.server.notices = append(r.server.notices, message.Of(format, args...))
		r.server.notices = r.server.notices[max(0, len(r.server.notices)-mostNotices):]
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
	if now := time.Now(); now.Sub(b.server.lastSent) >= progressPause || e.Done == e.Total {
		b.server.lastSent = now
		b.sendServers()
	}
}

// Close implements session.BuildReporter.
func (b buildReporter) Close() { b.change(b.server, func() { b.server.Progress = nil }) }

// A gatherer collects the notices of a replay, a request, or a use of the workshop.
type gatherer struct {
	mu      sync.Mutex
	notices []message.Message
}

// Notice implements session.Reporter.
func (g *gatherer) Notice(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notices = append(g.notices, message.Of(format, args...))
}

// Building implements session.Reporter.
func (g *gatherer) Building() session.BuildReporter { return silent{} }

// all returns the notices so far.
func (g *gatherer) all() []message.Message {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.notices)
}

// in returns the notices in the language of p.
func (g *gatherer) in(p message.Printer) []string {
	notices, _ := untranslated{notices: g.all()}.in(p)
	return notices
}

type silent struct{}

func (silent) Report(program.Event) {}
func (silent) Close()               {}
