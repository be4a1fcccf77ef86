package session

import "github.com/kubeapitrace/apitrace/internal/program"

// A Reporter receives the progress of a session. A command prints it; a test may keep
// it. A Reporter must be safe for concurrent use.
type Reporter interface {
	// Notice receives one line for the user that is not part of a result, such as the
	// fact that a running server is used. The format has the syntax of package fmt,
	// without a newline at the end.
	Notice(format string, args ...any)
	// Building is called before a program is built. The session reports the build to
	// the BuildReporter, and closes the BuildReporter when the build has ended. A
	// build that finds the program in the cache reports nothing.
	Building() BuildReporter
}

// A BuildReporter receives the progress of one build.
type BuildReporter interface {
	program.Progress
	Close()
}
