package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Stage is a part of a request's way: one layer, or several that the request
// entered one after another.
type Stage struct {
	// Layers are names of layers, in the order of first entry; "" for calls of none.
	Layers []string
	// Calls counts the calls.
	Calls int
	// SelfNs is the time that they took themselves, without the calls they made.
	SelfNs int64
}

// NewOutline tells the way of a request through the layers, in the order in which it
// first came to a key step of each, or to any call where there is none. It has so
// many stages at most: neighbours with few calls are joined. A call that the filter
// does not let through counts for none; without a filter, upstream's own tracing
// counts for the layer that calls it.
func NewOutline(tree *trace.Tree, classifier Classifier, filter Filter, most int) []Stage {
	stages := map[string]*entered{}
	lets := newFiltering(&filter, tree, classifier, errorPath(tree, classifier)).lets
	layers := layersOf(tree, classifier, !filter.Active())
	for i := range tree.Len() {
		call := tree.Call(i)
		if filter.Active() && !lets(i) {
			continue
		}
		s := stages[layers[i]]
		if s == nil {
			s = &entered{Stage: Stage{Layers: []string{layers[i]}}, first: i}
			stages[layers[i]] = s
		}
		if !s.key && classifier.Key(call.Function) {
			s.first, s.key = i, true
		}
		s.Calls++
		s.SelfNs += tree.SelfNs(i)
	}
	return inOrder(stages, most)
}

// layersOf returns the layer of each call. If the story is told without upstream's
// own tracing, the calls of its layer are in the layer that calls them.
func layersOf(tree *trace.Tree, classifier Classifier, without bool) []string {
	tracing := map[string]bool{}
	layers := make([]string, tree.Len())
	for i := range layers {
		layers[i] = classifier.Layer(tree.Call(i).Function)
		if upstream(tree.Call(i)) {
			tracing[layers[i]] = true
		}
	}
	for i := range layers {
		if parent := tree.Parent(i); without && parent >= 0 && tracing[layers[i]] {
			layers[i] = layers[parent]
		}
	}
	return layers
}

// entered is a stage with the call in which it was entered.
type entered struct {
	Stage
	first int
	key   bool
}

// inOrder puts stages into the order of entry and joins those that are too many.
func inOrder(stages map[string]*entered, most int) []Stage {
	var ordered []Stage
	for _, s := range slices.SortedFunc(maps.Values(stages), func(a, b *entered) int { return cmp.Compare(a.first, b.first) }) {
		ordered = append(ordered, s.Stage)
	}
	for len(ordered) > max(most, 1) {
		ordered = joinSmallest(ordered)
	}
	return ordered
}

// joinSmallest joins the two neighbours that hold the fewest layers and, among
// those, the fewest calls. Both numbers are the same in every run; the time is not.
func joinSmallest(stages []Stage) []Stage {
	at := 0
	size := func(i int) (layers, calls int) {
		return len(stages[i].Layers) + len(stages[i+1].Layers), stages[i].Calls + stages[i+1].Calls
	}
	for i := range len(stages) - 1 {
		layers, calls := size(i)
		leastLayers, leastCalls := size(at)
		if layers < leastLayers || layers == leastLayers && calls < leastCalls {
			at = i
		}
	}
	second := stages[at+1]
	stages[at].Layers = append(stages[at].Layers, second.Layers...)
	stages[at].Calls += second.Calls
	stages[at].SelfNs += second.SelfNs
	return slices.Delete(stages, at+1, at+2)
}

// stagesOfOutline is how many lines the story of a request has at most.
const stagesOfOutline = 15

// WriteOutline tells for each request of a recording which layers it ran through, in
// order, and how long each took itself. Of the options' Choice only the Filter counts.
func WriteOutline(w io.Writer, rec *trace.Recording, guide Guide, options Options) error {
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		r := &rec.Requests[i]
		tree, err := trace.NewTree(r)
		if err != nil {
			return fmt.Errorf("outline of %s %s: %w", r.Method, r.Path, err)
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		d := newDrawing(rec, &View{Tree: tree, ErrorPath: errorPath(tree, guide)}, guide, options)
		d.writeHeading(out)
		d.writeStages(out, NewOutline(tree, guide, options.Filter, stagesOfOutline))
	}
	return out.Flush()
}

func (d *drawing) writeStages(out *bufio.Writer, stages []Stage) {
	var told int
	var self int64
	wide := columns{calls: len("1,234 calls") + 1}
	for _, s := range stages {
		told, self = told+s.Calls, self+s.SelfNs
		wide.titles = max(wide.titles, lipgloss.Width(d.titles(s)))
		wide.calls = max(wide.calls, 2+lipgloss.Width(calls(s.Calls)))
	}
	for _, s := range stages {
		d.writeStage(out, s, self, wide)
	}
	fmt.Fprintln(out)
	for _, key := range d.view.Tree.Request.Stored {
		d.writeWrapped(out, d.Plumbing, stored(key))
	}
	if hidden := d.view.Tree.Len() - told; hidden > 0 {
		d.writeWrapped(out, d.Facts, fmt.Sprintf("%s of %d hidden by %s", humanize.Comma(int64(hidden)),
			d.view.Tree.Len(), strings.Join(d.choice.Filter.flags(), " ")))
	}
	text := "in order of first entry; each time is without what the layer calls"
	if d.view.Tree.Request.IsStart() {
		text += ", and adds up what many goroutines take at the same time, waiting included"
	}
	d.writeWrapped(out, d.Facts, text)
}

// columns are the widths of what an outline lists.
type columns struct{ titles, calls int }

// writeStage draws a line: titles, calls, time, and the time's share as a bar.
func (d *drawing) writeStage(out *bufio.Writer, s Stage, self int64, wide columns) {
	const forTime, forBar = 8, 10 // and two spaces between
	share := 0
	if self > 0 {
		share = int((s.SelfNs*forBar + self/2) / self)
	}
	room := d.width - wide.calls - forTime - forBar - 2
	titles := d.fit(d.titles(s), room)
	calls := calls(s.Calls)
	time := d.duration(s.SelfNs)
	pad := func(text string, columns int) string {
		return strings.Repeat(" ", max(0, columns-lipgloss.Width(text)))
	}
	line := d.Key.Render(titles) + pad(titles, min(wide.titles, room)) + pad(calls, wide.calls) + d.Count.Render(calls) +
		pad(time, forTime) + d.Duration.Render(time)
	if share > 0 {
		line += "  " + d.Guide.Render(strings.Repeat(d.bar, share))
	}
	fmt.Fprintln(out, line)
}

// titles names the layers of a stage. Where there are several, what stands in
// brackets is left out.
func (d *drawing) titles(s Stage) string {
	var titles []string
	for _, layer := range s.Layers {
		title := d.guide.Title(layer)
		if title == "" {
			title = layer
		}
		if title == "" {
			title = "(no layer)"
		}
		if cut := strings.IndexAny(title, "(（"); cut > 0 && len(s.Layers) > 1 {
			title = strings.TrimSpace(title[:cut])
		}
		titles = append(titles, oneLine(title))
	}
	return strings.Join(titles, ", ")
}
