// Package instrument puts a span around each function that matters.
//
// It holds the guide, which says in YAML what is instrumented and what is worth
// knowing about it, and the rewriter, which takes the Go source of a program's
// vendor tree and makes changed copies for "go build -overlay". Package probe is
// what the changed copies call.
//
// The model is Go's own cmd/cover: places are found in the syntax tree, bytes are
// inserted into the text, and the tree is never printed. Each insertion stays on a
// line that exists, so that line numbers, stack traces and debuggers keep
// telling the truth.
//
// What does not belong here: where the source comes from and how it is built
// (package program), and what the records become (packages collect and trace).
package instrument
