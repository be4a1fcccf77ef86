package render

import (
	"bufio"
	"bytes"
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// fitting draws as many steps as the lines allow, and lines for their values: the most
// telling first. What is asked for besides, notes and upstream's own tracing, takes
// further lines.
func fitting(rec *trace.Recording, calls *trace.Tree, guide Guide, options Options) *drawing {
	if options.Most > 0 || options.Lines < 0 || !options.limited() {
		return newDrawing(rec, NewView(calls, guide, options.Choice), guide, options)
	}
	lines := options.Lines
	bare := options
	bare.Notes, bare.Upstream = false, false
	f := &fitter{chooser: newChooser(calls, guide, bare.Choice), rec: rec, guide: guide, options: bare}
	wishes := f.wishes()
	n := last(min(len(wishes), 2*lines), func(n int) bool {
		view := f.view(stepsOf(wishes[:n]))
		return view.Root.nodes() <= lines && f.drawing(view, wishes[:n]).height() <= lines
	})
	f.chooser, f.options = newChooser(calls, guide, options.Choice), options
	return f.drawing(f.view(stepsOf(wishes[:n])), wishes[:n])
}

// A fitter tries how much of a trace fits on so many lines.
type fitter struct {
	*chooser
	rec     *trace.Recording
	guide   Guide
	options Options
}

// A wish is for a step to be shown, or for its values to have a line.
type wish struct {
	score  int
	step   *step
	values bool
}

// wishes lists all wishes, the most telling first. The wish for a step comes before
// that for its values, and steps stand in the order of their rank.
func (f *fitter) wishes() []wish {
	var all []wish
	for i := range f.rank {
		s := &f.rank[i]
		all = append(all, wish{s.score, s, false})
		if s.newValues > 0 {
			all = append(all, wish{min(s.score, s.valueScore()), s, true})
		}
	}
	slices.SortStableFunc(all, func(a, b wish) int { return cmp.Compare(b.score, a.score) })
	return all
}

// stepsOf counts the steps among wishes; at least the first call is always shown.
func stepsOf(wishes []wish) int {
	n := 0
	for _, w := range wishes {
		if !w.values {
			n++
		}
	}
	return max(n, 1)
}

// drawing draws a view in which the wishes for values are granted.
func (f *fitter) drawing(view *View, wishes []wish) *drawing {
	d := newDrawing(f.rec, view, f.guide, f.options)
	d.roomy = map[int]bool{}
	for _, w := range wishes {
		if !w.values {
			continue
		}
		for _, i := range w.step.calls {
			d.roomy[i] = true
		}
	}
	return d
}

// last returns the largest n up to most that fits, if all below it do; 0 always does.
func last(most int, fits func(n int) bool) int {
	low := 0
	for low < most {
		if middle := (low + most + 1) / 2; fits(middle) {
			low = middle
		} else {
			most = middle - 1
		}
	}
	return low
}

// height is how many lines the drawing takes.
func (d *drawing) height() int {
	var lines lineCounter
	out := bufio.NewWriter(&lines)
	d.write(out)
	_ = out.Flush() // a lineCounter has no errors
	return int(lines)
}

// A lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}
