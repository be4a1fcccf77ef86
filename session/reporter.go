package session

import "github.com/kubeapitrace/apitrace/internal/program"

// A Reporter is told what happens while a session does its work: a command prints it, a test may
// keep it. Several goroutines may call it at the same time.
type Reporter interface {
	// Notice gets one line for the user that is not part of a result, such as that a server which
	// runs already is used. The format is that of package fmt, and does not end with a newline.
	Notice(format string, args ...any)
	// Building is called before a program is built. The session reports the build to what it
	// returns, and closes that when the build has ended. A build that only takes the program from
	// the cache reports nothing.
	Building() BuildReporter
}

// A BuildReporter is told of one build.
type BuildReporter interface {
	program.Progress
	Close()
}
