// Package session is one use of a server from start to end: find one that runs, or build and start
// it; replay a scenario on it, or serve a client through a front; collect the traces from the
// probes; and hand over the recordings. It is the engine of every face of apitrace: the command line,
// a view in the terminal, a page, a test.
//
// ServerOptions say which server is wanted (Spec), whether one that runs already may be used
// (Reuse) and with which edits of the source it is built (Edits). With them,
//
//   - Run replays a scenario and hands over its recording while the server still runs, also one that
//     broke off; RunTraced replays what nobody knows the answers of.
//   - Obtain returns a Running server, which sends single requests (Request), and to
//     which Execute, Record and ServeUntil open a front for client programs.
//   - RecordLibrary makes the recordings of all scenarios that are part of the binary.
//
// Nothing in here reads standard input, prints, or looks for a terminal: what happens meanwhile goes to a
// Reporter. A Running server of our own ends with its Close, and at the latest with the process.
// When it dies before, the context that came with it ends, and deathOf tells why.
package session
