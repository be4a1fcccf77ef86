// Package render draws traces and their comparisons as text.
//
// Package view decides on the content: a view.Trace and a view.Comparison have the
// sections, the steps, the names and the sentences. This package turns them into
// lines. The width decides where lines break, but not which steps there are.
//
// UseColour, UseHyperlinks and ColourProfile decide on colours and links. The
// drawing itself never looks at the terminal.
package render
