package render

import (
	"io"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

func writeTree(w io.Writer, rec *trace.Recording, guide view.Guide, o Options) error {
	traces, err := view.NewTraces(rec, guide, o.Options)
	if err != nil {
		return err
	}
	return WriteTree(w, traces, o)
}

func writeOutline(w io.Writer, rec *trace.Recording, guide view.Guide, o Options) error {
	o.Outline = true
	traces, err := view.NewTraces(rec, guide, o.Options)
	if err != nil {
		return err
	}
	return WriteOutline(w, traces, o)
}

func writeDiff(w io.Writer, c *diff.Comparison, guide view.Guide, o DiffOptions) error {
	comparer, err := view.NewComparer(c, guide, o.ComparisonOptions)
	if err != nil {
		return err
	}
	return WriteDiff(w, comparer.All(), o)
}

func writeDiffMarkdown(w io.Writer, c *diff.Comparison, guide view.Guide, o DiffOptions) error {
	o.Places = true
	comparer, err := view.NewComparer(c, guide, o.ComparisonOptions)
	if err != nil {
		return err
	}
	return WriteDiffMarkdown(w, comparer.All(), o)
}
