// The build constraint gives each file of this package the language of Go 1.26, also in a
// program with an older version in its go.mod.

//go:build go1.26

// Package probe is compiled into a traced program. The rewriter inserts a call of Labels,
// and for traced requests calls of Enter and Exit, into every function of the packages
// that it instruments.
//
// It imports the standard library only, so it fits into any Kubernetes version and does
// not raise a dependency of that version. It starts nothing unless the environment names
// a socket (see EnvSocket). A program that merely links it pays one load per call.
//
// The current call travels with the goroutine, in the runtime's pointer for profiler
// labels. Half of the functions on a request's path take no context. But a new goroutine
// inherits the pointer from the goroutine that starts it. A pointer found there may
// belong to other code; see fromLabels.
//
// This package records calls and gives the records to a reader. The meaning of a record,
// and everything that can be computed later, belongs elsewhere.
package probe

// The environment of a traced program.
const (
	// EnvSocket names the unix socket for queries to the probe. Without it nothing is
	// traced.
	EnvSocket = "APITRACE_SOCKET"
	// EnvProcess is the name of the program in its records.
	EnvProcess = "APITRACE_PROCESS"
	// EnvCheck set to "1" makes the probe compare each call's parent, name and place
	// with the goroutine's real stack.
	EnvCheck = "APITRACE_CHECK"
	// EnvBoot is a W3C traceparent for the program's start. The start is traced from the
	// initialisation of the probe until the trace is fetched.
	EnvBoot = "APITRACE_BOOT"
)

// MetadataKey is the gRPC metadata key that carries the current call to another traced
// process, in the format of a W3C traceparent. The key is not "traceparent", because
// upstream's otelgrpc handler overwrites that key on the way out with the span that the
// client sent, even if no tracing is configured.
const MetadataKey = "apitrace-traceparent"
