// Package render draws traces and their comparisons as text.
//
// Package view provides the content: a view.Trace and a view.Comparison have the
// sections, the steps, the names and the sentences. This package turns them into
// lines. At every width, a drawing has the same steps; only the line breaks differ.
//
// The drawing itself never looks at the terminal. Callers use UseColour,
// UseHyperlinks and ColourProfile to choose colours and links.
package render
