package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/tree"

	"github.com/kubeapitrace/apitrace/trace"
)

// Options say how traces are drawn. The zero value is the default view in plain
// text, 80 columns wide.
type Options struct {
	Choice
	// Lines is how many lines a request may take: of what Choice.Most may limit, as
	// many of the most telling steps are shown as fit. 0 means that the requests of a
	// recording share 60, or have 19 each if there are more than three; less means
	// that nothing is limited.
	Lines int
	// Notes adds the guide's note below each key step; they count for no Lines.
	Notes bool
	// Width is the number of columns: 0 means 80. Below 40 no tree can be drawn;
	// less counts as 40.
	Width int
	// Palette is Colours() for a terminal; the zero value is plain text.
	Palette Palette
	// ASCII draws with the characters of ASCII alone. Recorded texts stay as they are.
	ASCII bool
	// Hyperlinks makes each place a link to upstream's source. See UseHyperlinks.
	Hyperlinks bool
}

// WriteTree draws each request of a recording as a tree of calls, with a heading
// and with a note on what is hidden. No line is wider than the width.
func WriteTree(w io.Writer, rec *trace.Recording, guide Guide, options Options) error {
	const together, least = 60, 19
	if n := len(rec.Requests); options.Lines == 0 && n > 0 {
		options.Lines = max(least, (together-(n-1))/n) // with a blank line between them
	}
	out := bufio.NewWriter(w)
	for i := range rec.Requests {
		r := &rec.Requests[i]
		calls, err := trace.NewTree(r)
		if err != nil {
			return fmt.Errorf("tree of %s %s: %w", r.Method, r.Path, err)
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		fitting(rec, calls, guide, options).write(out)
	}
	return out.Flush()
}

// A drawing is one view on its way to text.
type drawing struct {
	glyphs
	Palette
	rec        *trace.Recording
	view       *View
	guide      Guide
	choice     Choice
	notes      bool
	width      int
	hyperlinks bool
	// roomy are the calls that may have a line for their values, nil for all.
	roomy map[int]bool
	// maxLevel is the deepest level that has a column of its own. What lies
	// deeper stands there too and has its distance written before it.
	maxLevel int
	used     legend
	// diff is set where differences are drawn; see drawDiff. inView are then the calls that
	// have been drawn.
	diff   *diffDrawing
	inView map[int]bool
}

// legend tells which signs a drawing used and therefore has to explain.
type legend struct{ on, later, newGoroutine, crossing, from, deeper, failed, upstream bool }

func (o *Options) glyphs() glyphs {
	if o.ASCII {
		return asciiGlyphs
	}
	return unicodeGlyphs
}

func newDrawing(rec *trace.Recording, view *View, guide Guide, o Options) *drawing {
	const ordinary, least, forRow = 80, 40, 44 // forRow: enough for most names next to their place
	d := &drawing{glyphs: o.glyphs(), Palette: o.Palette, rec: rec, view: view, guide: guide,
		choice: o.Choice, notes: o.Notes, hyperlinks: o.Hyperlinks}
	d.width = o.Width
	if d.width == 0 {
		d.width = ordinary
	}
	d.width = max(d.width, least)
	d.maxLevel = max(1, (d.width-forRow)/lipgloss.Width(d.branch))
	return d
}

func (d *drawing) write(out *bufio.Writer) {
	d.writeHeading(out)
	d.writeItems(out)
	d.writeFooter(out)
}

// writeItems draws the tree itself.
func (d *drawing) writeItems(out *bufio.Writer) {
	for _, it := range d.items(d.view.Root, 0, nil) {
		for line := range strings.Lines(d.guided(it).String()) {
			out.WriteString(strings.TrimRight(line, " \n"))
			out.WriteByte('\n')
		}
	}
}

// An item is a node with its place in the drawing. It is a tree.Node, so
// lipgloss draws the branches.
type item struct {
	node   *Node
	level  int
	deeper int // levels below level that have no column of their own
	below  []tree.Node
	label  string
}

var _ tree.Node = (*item)(nil)

func (it *item) String() string          { return it.label }
func (it *item) Value() string           { return it.label }
func (it *item) SetValue(any)            {}
func (it *item) Hidden() bool            { return false }
func (it *item) SetHidden(bool)          {}
func (it *item) Children() tree.Children { return tree.NodeChildren(it.below) }

// items returns what stands on one level for n: n itself, what continues it, and
// so on, each with its other children below it. Above is what n's callers show.
func (d *drawing) items(n *Node, level int, above values) []*item {
	var all []*item
	for n != nil {
		it := &item{node: n, level: min(level, d.maxLevel), deeper: max(0, level-d.maxLevel)}
		all = append(all, it)
		row, shown := d.draw(it, above)
		var next *Node
		for _, child := range n.Children {
			switch {
			case child.Continues:
				next = child
			case level >= d.maxLevel:
				all = append(all, d.items(child, level+1, shown)...)
			default:
				for _, below := range d.items(child, level+1, shown) {
					it.below = append(it.below, below)
				}
			}
		}
		it.label = d.together(it, row)
		n, above = next, shown
	}
	return all
}

// guided makes the tree of an item that has no branch itself.
func (d *drawing) guided(it *item) *tree.Tree {
	return tree.Root(it.label).Child(tree.NodeChildren(it.below)).
		Enumerator(d.enumerate).EnumeratorStyle(d.Guide).
		Indenter(d.indent).IndenterStyle(d.Guide)
}

func (d *drawing) enumerate(children tree.Children, i int) string {
	it, last := children.At(i).(*item), i == children.Length()-1
	switch {
	case it.node.Continues && last:
		return d.lastOn
	case it.node.Continues:
		return d.branchOn
	case last:
		return d.last
	}
	return d.branch
}

func (d *drawing) indent(children tree.Children, i int) string {
	if i == children.Length()-1 {
		return d.blank
	}
	return d.line
}
