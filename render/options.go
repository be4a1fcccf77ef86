package render

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/view"
)

// A Layout sets the layout of a text. The zero value is plain text, 80 columns wide.
type Layout struct {
	// Width is the number of columns. 0 means 80. A smaller width than 40 counts as
	// 40, because a tree needs 40 columns.
	Width int
	// Legend adds a line above the tree of a trace. The line explains the signs, for
	// readers who may see such a tree for the first time.
	Legend bool
	// MarksOnly is for readers who have seen Legend: the line above a comparison explains
	// only which side a mark stands for.
	MarksOnly bool
	// Palette is Colours() for a terminal; the zero value is plain text.
	Palette Palette
}

// columns returns the width of a drawing in columns.
func (l *Layout) columns() int {
	const ordinary, least = 80, 40
	if l.Width == 0 {
		return ordinary
	}
	return max(l.Width, least)
}

// Options set the content and the layout of a trace.
type Options struct {
	view.Options
	Layout
}

// DiffOptions set the content and the layout of a comparison.
type DiffOptions struct {
	view.ComparisonOptions
	Layout
	// LiveA and LiveB are set for a side that the command has just replayed and
	// traced. They set DiffSide.Live.
	LiveA, LiveB bool
	// Remarks are written at the end. They name differences that the traces of both
	// sides cannot show.
	Remarks []message.Message
}
