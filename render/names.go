package render

import (
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// Types of package view that this package uses under the same names.
type (
	// A Choice sets what a view shows of a trace.
	Choice = view.Choice
	// A Filter selects the calls of a view.
	Filter = view.Filter
	// A Classifier classifies functions for readers.
	Classifier = view.Classifier
	// A Guide is a Classifier that also has texts for readers.
	Guide = view.Guide
	// Differences are the changes between two requests.
	Differences = view.Differences
	// A ShownChange is a change with additional information for a view.
	ShownChange = view.ShownChange
	// A node is a shown call, or several equal consecutive calls that are shown as one.
	node = view.Node
)

func shorten(value string) string       { return view.Shorten(value) }
func upstream(call *trace.Call) bool    { return view.Upstream(call) }
func oneLine(s string) string           { return text.Escape(s) }
func wrap(s string, width int) []string { return text.Wrap(s, width) }

func columnsOf(s string) int { return text.Columns(s) }
