// The build constraint gives each file of this package the language of Go 1.26, even if
// the program's go.mod has an older version.

//go:build go1.26

// Package probe is compiled into a traced program. The rewriter inserts calls of Labels,
// Enter and Exit into every function that it instruments. Enter and Exit run for traced
// requests only.
//
// It imports only the standard library, so it fits into any version of Kubernetes. It
// starts nothing unless the environment names a socket (see EnvSocket). Without a socket,
// a call costs one load.
//
// The current call travels with the goroutine, in the runtime's pointer for profiler
// labels, because half of the functions on a request's path take no context. A new
// goroutine inherits the pointer from the goroutine that starts it. The pointer may also
// belong to other code; see fromLabels.
//
// This package records calls and gives the records to a reader. It does not interpret
// them, and computes nothing that can be computed later.
package probe

// The environment of a traced program.
const (
	// EnvSocket names the unix socket for queries to the probe. Without it, nothing is
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
// process. Its value is a W3C traceparent.
//
// The key is not "traceparent", because upstream's otelgrpc handler overwrites that key
// in outgoing metadata with the span that the client sent. It does so even if no tracing
// is configured.
const MetadataKey = "apitrace-traceparent"
