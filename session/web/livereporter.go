package web

import (
	"sync"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session"
)

// A reporter tells listeners the progress of a server.
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

// A gatherer keeps the notices of a replay or a request.
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
