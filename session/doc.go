// Package session runs one use of a server from start to end. It finds a running server,
// or builds and starts one. It replays a scenario, or serves clients through a front. It
// collects the traces, and hands over the recordings. All front ends use it: the command
// line, the terminal view, the page, and the tests.
//
// ServerOptions describe the server (Spec), whether a running one may be used (Reuse),
// and the edits of its source (Edits). With these options,
//
//   - Run replays a scenario and hands over its recording, even an incomplete one, while the
//     server still runs. RunTraced replays a scenario, but does not check its traces.
//   - Obtain returns a Running server. Request sends it single requests. Execute, Record and
//     ServeUntil open a front to it for client programs.
//   - RecordScenario makes a recording for the library in the binary.
//
// This package does not read standard input, print, or look for a terminal. It reports
// progress to a Reporter. A server that this process started ends with Running.Close, and
// at the latest with the process. If the server dies earlier, the context from Obtain
// ends, and deathOf returns the reason.
package session
