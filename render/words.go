package render

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// The sentences of a listing.
var (
	saysOneCall = message.Of("1 call")
	saysCalls   = message.Of("%s calls")
	saysCallsIn = message.Of("%s in %s")

	saysNoAnswer     = message.Of("no answer")
	saysEdited       = message.Of("not upstream's program: built with edits of %s")
	saysIncomplete   = message.Of("incomplete: %s")
	saysUnfinished   = message.Of("unfinished: the request had not returned when the trace was collected")
	saysStillRunning = message.Of("still running when the trace was collected, as goroutines may be that outlive a request: %s")

	saysMore    = message.Of("and %d more")
	saysRunning = message.Of("still running")
	// saysEntryOnly stands in place of a duration.
	saysEntryOnly = message.Of("its duration was not recorded")
	saysError     = message.Of("error: %s")
	saysPanic     = message.Of("panic: %s")
	saysFailed    = message.Of("failed")
	saysHandled   = message.Of("failed, the caller dealt with it")

	saysKind = map[view.ErrorKind]message.Message{
		view.ErrorBorn:     message.Of("error born here"),
		view.ErrorWrapped:  message.Of("wrapped"),
		view.ErrorTurned:   message.Of("turned into another error"),
		view.ErrorDenied:   message.Of("denied"),
		view.ErrorRefused:  message.Of("refused"),
		view.ErrorAnswered: message.Of("answered"),
		view.ErrorStatus:   message.Of("becomes a Status"),
	}
	saysAnswered = message.Of("no error: answered %s in %s, without a Status")
	saysStatus   = message.Of("Status %s in %s")
	saysRefused  = message.Of("refused by admission plugin %s")
	saysBorn     = message.Of("error born in %s: %s")
	saysStep     = message.Of("%s in %s: %s")
	saysHidden   = message.Of("the request failed; this line tells how once the exercise is passed")

	saysStored    = message.Of("stored in etcd: %s")
	saysRevision  = message.Of("revision %d")
	saysDelivered = message.Of("revision %d went out in request %d: %s, %s after the write")

	saysCut            = message.Of("%s calls lie deeper than --depth %d.")
	saysNothingMatches = message.Of("%s: none of %s calls matches")
	saysNotShown       = message.Of("%s more requests of the recording have no call that matches.")
	saysNoMatch        = message.Of("no call matches %s")
	saysNoKeySteps     = message.Of("; %s of them are not key steps: --view full")
	saysMoreHandled    = message.Of("; %s more had an error that a caller dealt with: --view full")
)

func saysCount(lang string, n int) string {
	if n == 1 {
		return saysOneCall.In(lang)
	}
	return saysCalls.Format(lang, thousands(n))
}
