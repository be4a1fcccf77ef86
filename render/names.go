package render

import (
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// What a drawing needs from the choice is called here as it is there.
type (
	// A Choice says what a view shows of a trace.
	Choice = view.Choice
	// A Filter says which calls a view is about.
	Filter = view.Filter
	// A Classifier tells what a function is to a reader.
	Classifier = view.Classifier
	// A Guide is a Classifier that can put into words what it knows.
	Guide = view.Guide
	// A node is a call that is shown, or several equal ones in a row as one.
	node = view.Node
)

// SourceURL returns where upstream's source of a call can be read; see view.SourceURL.
func SourceURL(rec *trace.Recording, call *trace.Call) string { return view.SourceURL(rec, call) }

func shorten(value string) string       { return view.Shorten(value) }
func upstream(call *trace.Call) bool    { return view.Upstream(call) }
func oneLine(s string) string           { return text.Escape(s) }
func wrap(s string, width int) []string { return text.Wrap(s, width) }

func leadingTo(tree *trace.Tree, wanted func(*trace.Call) bool) []bool {
	return view.LeadingTo(tree, wanted)
}
