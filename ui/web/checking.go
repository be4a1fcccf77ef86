package web

import (
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// A LiveCheck is the progress of checking an answer with a server.
type LiveCheck struct {
	Exercise string        `json:"exercise" description:"The exercise, as the request with the answer names it."`
	Progress *LiveProgress `json:"progress,omitempty" description:"Progress of the build of the server; absent if no build is running."`
	Notices  []string      `json:"notices" description:"The notices so far."`
}

// A checker gathers the notices and the build progress while an answer is
// checked. It sends each change to the listeners of the live events.
type checker struct {
	gatherer
	live     *live
	exercise string

	// mu of the gatherer guards progress and lastSent. lastSent is the
	// time of the last event.
	progress *LiveProgress
	lastSent time.Time
}

// Notice implements session.Reporter.
func (c *checker) Notice(format string, args ...any) {
	c.gatherer.Notice(format, args...)
	c.send()
}

// Building implements session.Reporter.
func (c *checker) Building() session.BuildReporter { return checkedBuild{c} }

// send sends the notices and the progress so far to the listeners.
func (c *checker) send() {
	c.mu.Lock()
	said, state := untranslated{notices: slices.Clone(c.notices)}, LiveCheck{Exercise: c.exercise, Progress: c.progress}
	c.lastSent = time.Now()
	c.mu.Unlock()
	c.live.send(event{eventCheck, func(p message.Printer) any {
		state := state
		state.Notices, _ = said.in(p)
		return state
	}})
}

type checkedBuild struct{ *checker }

// Report implements program.Progress.
func (b checkedBuild) Report(e program.Event) {
	if !e.Note.IsZero() {
		b.Notice("%s", e.Note)
	}
	if b.advance(&LiveProgress{e.Program, string(e.Stage), e.Done, e.Total}) {
		b.send()
	}
}

// advance stores the progress. It reports whether an event is due: the
// build is complete, or the last event is at least progressPause ago.
func (b checkedBuild) advance(to *LiveProgress) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.progress = to
	return time.Since(b.lastSent) >= progressPause || to != nil && to.Done == to.Total
}

// Close implements session.BuildReporter.
func (b checkedBuild) Close() {
	b.advance(nil)
	b.send()
}
