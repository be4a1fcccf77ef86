package view

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

// The sentences of a trace.
var (
	saysOneCall = message.Of("1 call")
	saysCalls   = message.Of("%s calls")
	saysCallsIn = message.Of("%s in %s")

	saysNoAnswer     = message.Of("no answer")
	saysEdited       = message.Of("not upstream's program: built with edits of %s")
	saysMoreTraced   = message.Of("packages that are traced here only because --trace named them: %s")
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

	saysKind = map[ErrorKind]message.Message{
		ErrorBorn:     message.Of("error born in this function"),
		ErrorWrapped:  message.Of("wrapped"),
		ErrorTurned:   message.Of("turned into another error"),
		ErrorDenied:   message.Of("denied"),
		ErrorRefused:  message.Of("refused"),
		ErrorAnswered: message.Of("answered"),
		ErrorTimedOut: message.Of("answered, the time was over"),
		ErrorPanicked: message.Of("panic began in this function"),
		ErrorStatus:   message.Of("becomes a Status"),
	}
	// saysKindAt has the kinds of which a step may have a line.
	saysKindAt = map[ErrorKind]message.Message{
		ErrorBorn:    message.Of("error born at line %d"),
		ErrorWrapped: message.Of("wrapped at line %d"),
		ErrorTurned:  message.Of("turned into another error at line %d"),
	}
	pathAnswered = message.Of("no error: answered %s in %s, without a Status")
	pathTimedOut = message.Of("the time was over: %s answered %s in place of the handler")
	pathPanicked = message.Of("panic in %s: %s")
	pathStatus   = message.Of("Status %s in %s")
	pathRefused  = message.Of("refused by admission plugin %s")
	pathBorn     = message.Of("error born in %s: %s")
	pathBornAt   = message.Of("error born in %s at %s: %s")
	pathStep     = message.Of("%s in %s: %s")
	saysHidden   = message.Of("the request failed; this line tells how once the exercise is passed")

	saysAfterwards = message.Of("not called by a step above: takes up the event of the write")

	saysStored    = message.Of("stored in etcd: %s")
	saysRevision  = message.Of("revision %d")
	saysDelivered = message.Of("revision %d went out in request %d: %s, %s after the write")

	saysNothingMatches = message.Of("%s: none of %s calls matches")
)
