package render

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// A Layout sets a text's layout. The zero value is plain text, 80 columns wide.
type Layout struct {
	// Width is the number of columns. 0 means 80. A tree needs 40 columns, so less
	// counts as 40. The width decides where lines break, never which steps there are.
	Width int
	// Legend explains the signs of a tree in a line above it. It is for readers who may
	// see such a tree for the first time.
	Legend bool
	// Palette is Colours() for a terminal; the zero value is plain text.
	Palette Palette
}

// columns returns the width of a drawing.
func (l *Layout) columns() int {
	const ordinary, least = 80, 40
	if l.Width == 0 {
		return ordinary
	}
	return max(l.Width, least)
}

// Options set the content and the layout of a trace. UseHyperlinks decides on
// Hyperlinks.
type Options struct {
	view.Options
	Layout
}

// DiffOptions set a comparison's content and layout.
type DiffOptions struct {
	view.ComparisonOptions
	Layout
	// LiveA and LiveB are set for a just replayed side, which is not a recording.
	LiveA, LiveB bool
	// Remarks are written at the end. They name differences that the traces of both
	// sides cannot show.
	Remarks []message.Message
}
