// Package session is one use of a server from start to end: find a running server, or build and start
// one; replay a scenario on it, or serve a client through a front; collect the traces from the
// probes; and hand over the recordings. It is the engine behind every front end of apitrace: the
// command line, the view in the terminal, the page, and the tests.
//
// ServerOptions describe the server (Spec), whether a running server may be used (Reuse), and the edits
// of the source with which it is built (Edits). With them,
//
//   - Run replays a scenario and hands over its recording, even an incomplete one, while the server still
//     runs; RunTraced replays a scenario whose answers are not known beforehand.
//   - Obtain returns a Running server, which sends single requests (Request), and to
//     which Execute, Record and ServeUntil open a front for client programs.
//   - RecordScenario makes a recording for the library that is part of the binary.
//
// This package does not read standard input, print, or look for a terminal: it reports progress to a
// Reporter. A Running server that this process started ends with its Close, and at the latest with the
// process. If it dies earlier, the context that Obtain returned with it ends, and deathOf returns the reason.
package session
