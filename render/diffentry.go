package render

import (
	"cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// entered says how a section is entered. The merged tree has its first step below the caller of side B; where the caller of side A is
// another step, it names both, or that of the only side that makes the call.
func (d *diffDrawing) entered(root *node, merged entry) string {
	onA, ok := d.entryOnA(root)
	switch {
	case !ok || onA.by == merged.by:
		return d.listing.entered(merged)
	case d.Merged.B[root.Calls[0]] == diff.None:
		return d.listing.entered(onA)
	}
	return d.words.Sprintf("%s: %s; %s: %s", d.options.NameA, d.listing.entered(onA), d.options.NameB, d.listing.entered(merged))
}

// entryOnA finds the step that calls the first step of a section on side A; ok is false if that side does not make the call, or if
// no step is above it.
func (d *diffDrawing) entryOnA(root *node) (e entry, ok bool) {
	first := d.Merged.A[root.Calls[0]]
	if first == diff.None {
		return e, false
	}
	a := d.Diff.A
	for call := first; a.Parent(call) >= 0; call = a.Parent(call) {
		e.newGoroutine = e.newGoroutine || a.Call(call).NewGoroutine
		e.handoff = cmp.Or(e.handoff, a.Call(call).Attributes[trace.AttrHandoff])
		above := a.Parent(call)
		e.by = d.stepWith(d.Merged.AtA[above])
		if e.by == nil {
			continue
		}
		e.in, e.indirect = d.story.SectionOf(e.by.Calls[0]), call != first
		if process := a.Call(first).Process; process != a.Call(above).Process {
			e.process = process
		}
		return e, true
	}
	return e, false
}
