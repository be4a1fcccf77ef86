// Package render draws traces and their comparisons as text.
//
// Package view decides on the content: the steps, the sections, the names and the
// sentences. This package turns it into lines. The width decides where lines break,
// and nothing else.
//
// UseColour and UseHyperlinks decide on colour and hyperlinks; the drawing itself never
// looks at the terminal.
package render
