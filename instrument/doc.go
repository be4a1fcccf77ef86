// Package instrument puts a span around each function that matters.
//
// The guide is YAML. It selects the functions to instrument, and explains the functions
// worth knowing. A [ReaderGuide] presents it to a reader of recordings.
//
// The rewriter reads the Go source of a program's vendor tree. It writes changed copies
// for "go build -overlay". The changed copies call package probe.
//
// The model is Go's own cmd/cover. The rewriter finds places in the syntax tree and
// inserts bytes into the text. It never prints the tree. Each insertion stays on an
// existing line, so line numbers, stack traces and debuggers stay correct.
//
// Other packages fetch and build the source (package program), and interpret the records
// (packages collect and trace).
package instrument
