// The constraint gives each file of this package the language of Go 1.26, also in a
// program whose go.mod asks for an older one.

//go:build go1.26

// Package probe is compiled into a traced program. The rewriter puts a call of
// Labels, and for traced requests of Enter and Exit, into every function of the
// packages that it instruments.
//
// It imports the standard library only, so that it fits into any Kubernetes
// version without raising one of that version's dependencies, and it starts
// nothing unless the environment names a socket (see EnvSocket): a program
// that merely links it pays one load per call.
//
// The current call travels with the goroutine, in the runtime's pointer for
// profiler labels: half of the functions on a request's path take no context,
// and a new goroutine inherits the pointer from the one that starts it.
// A pointer found there need not be ours; see fromLabels.
//
// What belongs here: recording calls and handing the records to a reader. What
// a record means, and everything that can be computed later, belongs elsewhere.
package probe

// The environment of a traced program.
const (
	// EnvSocket names the unix socket on which the probe answers queries. Without
	// it nothing is traced.
	EnvSocket = "APITRACE_SOCKET"
	// EnvProcess is the name that the program has in its records.
	EnvProcess = "APITRACE_PROCESS"
	// EnvCheck set to "1" makes the probe compare each call's parent, name and place
	// with the goroutine's real stack.
	EnvCheck = "APITRACE_CHECK"
	// EnvBoot is a W3C traceparent: the program's start is traced from the moment at
	// which the probe is initialised until the trace is fetched.
	EnvBoot = "APITRACE_BOOT"
)

// MetadataKey is the gRPC metadata key that carries the current call to another
// traced process, in the format of a W3C traceparent. It has a name of its own
// because upstream's otelgrpc handler overwrites "traceparent" on the way out,
// also when no tracing is configured, with the span that the client sent.
const MetadataKey = "apitrace-traceparent"
