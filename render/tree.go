package render

import (
	"bufio"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/tree"

	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// A drawing is one view on its way to text.
type drawing struct {
	pen
	rec        *trace.Recording
	view       *view.View
	guide      Guide
	choice     Choice
	notes      bool
	hyperlinks bool
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

func newDrawing(rec *trace.Recording, v *view.View, guide Guide, o Options) *drawing {
	const forRow = 44 // enough for most names next to their place
	d := &drawing{pen: newPen(&o), rec: rec, view: v, guide: guide,
		choice: o.Choice, notes: o.Notes, hyperlinks: o.Hyperlinks}
	d.maxLevel = max(1, (d.width-forRow)/lipgloss.Width(d.branch))
	return d
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
