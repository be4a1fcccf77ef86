package session

import "github.com/kubeapitrace/apitrace/internal/program"

// A Reporter receives a session's progress. A command prints it; a test may keep it. It
// must be safe for concurrent use.
type Reporter interface {
	// Notice receives one line for the user that is not part of a result: "using the
	// server that is running at …". The format is as in package fmt, without a final
	// newline.
	Notice(format string, args ...any)
	// Building is called before a program is built. The session reports the build to the
	// BuildReporter, and closes it at the end. A program from the cache causes no
	// reports.
	Building() BuildReporter
}

// A BuildReporter receives the progress of one build.
type BuildReporter interface {
	program.Progress
	Close()
}
