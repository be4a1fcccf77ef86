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
func WriteTree(w io.Writer, rec *trace.Recording, classifier Classifier, options Options) error {
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
		newDrawing(rec, NewView(calls, classifier, options.Choice), options).write(out)
	}
	return out.Flush()
}

// A drawing is one view on its way to text.
type drawing struct {
	glyphs
	Palette
	rec        *trace.Recording
	view       *View
	choice     Choice
	width      int
	hyperlinks bool
	// maxLevel is the deepest level that has a column of its own. What lies
	// deeper stands there too and has its distance written before it.
	maxLevel int
	used     legend
}

// legend tells which signs a drawing used and therefore has to explain.
type legend struct{ on, newGoroutine, crossing, from, deeper, failed bool }

func newDrawing(rec *trace.Recording, view *View, o Options) *drawing {
	const ordinary, least, forRow = 80, 40, 44 // forRow: enough for most names next to their place
	d := &drawing{glyphs: unicodeGlyphs, Palette: o.Palette, rec: rec, view: view, choice: o.Choice, hyperlinks: o.Hyperlinks}
	if o.ASCII {
		d.glyphs = asciiGlyphs
	}
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
	for _, it := range d.items(d.view.Root, 0) {
		for line := range strings.Lines(d.guided(it).String()) {
			out.WriteString(strings.TrimRight(line, " \n"))
			out.WriteByte('\n')
		}
	}
	d.writeFooter(out)
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
// so on, each with its other children below it.
func (d *drawing) items(n *Node, level int) []*item {
	var all []*item
	for n != nil {
		it := &item{node: n, level: min(level, d.maxLevel), deeper: max(0, level-d.maxLevel)}
		all = append(all, it)
		var next *Node
		for _, child := range n.Children {
			switch {
			case child.Continues:
				next = child
			case level >= d.maxLevel:
				all = append(all, d.items(child, level+1)...)
			default:
				for _, below := range d.items(child, level+1) {
					it.below = append(it.below, below)
				}
			}
		}
		it.label = d.label(it)
		n = next
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
