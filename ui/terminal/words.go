package terminal

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

var (
	saysKeys         = message.Of("? keys  / search  1-4 panes  q quit")
	saysHelpKey      = message.Of("? keys")
	saysNoMatch      = message.Of("no match for %q")
	saysMatches      = message.Of("match %d of %d")
	saysFiltered     = message.Of("%d of %d calls match")
	saysNone         = message.Of("there is none")
	saysPathStep     = message.Of("step %d of %d on the path of the error")
	saysHandledError = message.Of("error %d of %d that did not make the request fail")
	saysError        = message.Of("error %d of %d")
	saysNoSource     = message.Of("The source of %s is not on this machine: %v")
	saysCopied       = message.Of("copied: %s")
	saysLoading      = message.Of("loading %s")
	saysReplaying    = message.Of("replaying %s")
	saysComparing    = message.Of("comparing with %s")
	saysReading      = message.Of("reading the source …")
	saysProgress     = message.Of("%s … %.1f s, esc cancels")
	saysCancelled    = message.Of("cancelled")
	saysSamePath     = message.Of("replayed just now: %d calls, the same path")
	saysChanges      = message.Of("changes: %d; v: next, |: side by side, esc: back")
	saysNoPair       = message.Of("the two recordings have no request in common")
	saysNotCompared  = message.Of("nothing is compared: = compares with another release")
	saysNoSteps      = message.Of("a comparison is not one run: esc leaves it, then step")
	saysShown        = message.Of("shown")
	saysNowOf        = message.Of("%s now")
	saysNow          = message.Of("now")
	saysNoValues     = message.Of("The guide records no values of this call.")
	saysNoNote       = message.Of("The guide has no note on this function.")
	saysCalledAt     = message.Of("called from %s")
	saysControlAt    = message.Of("control is at %s")
	saysStack        = message.Of("Stack")
	saysRole         = message.Of("In general: %s")
	saysTooSmall     = message.Of("The terminal is too small: at least 40×8.")
	saysPick         = message.Of("Choose, type to filter, enter, esc")
	saysNotTraced    = message.Of("no trace: %v")
	saysRequests     = message.Of("requests: %d")
	saysSomeRequests = message.Of("requests: %d of %d")
	saysSend         = message.Of("Requests that are sent like this appear here:")
	saysRequestKeys  = message.Of("enter opens  / filters  ? keys  q ends the recording")
	saysWhen         = message.Of("WHEN")
	saysStatus       = message.Of("STATUS")
	saysCalls        = message.Of("CALLS")
	saysTook         = message.Of("TIME")
	saysRequest      = message.Of("REQUEST")
	saysEntered      = message.Of("%s: entered")
	saysCallsNext    = message.Of("%s: calls %s next")
	saysTakesEvent   = message.Of("next %s takes up the event of the write; %s does not call it")
	saysEventTaken   = message.Of("not called: takes up the event of the write")
	saysRunning      = message.Of("still running")
	saysReturns      = message.Of("%s: returns next")
	paneTitles       = map[pane]message.Message{
		paneSource: message.Of("Source"), paneValues: message.Of("Values"), paneNotes: message.Of("Notes"), paneJSON: message.Of("JSON"),
	}
)

// errorText returns the text of an error in the language of the screen.
func (m *Model) errorText(err error) string { return message.For(m.options.Lang).Error(err) }
