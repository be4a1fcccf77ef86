package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/kubeapitrace/apitrace/trace/diff"
)

//go:embed diff.html.tmpl
var diffPage string

var diffTemplate = template.Must(template.New("diff").Parse(diffPage))

// WriteDiffHTML writes a comparison as one self-contained page: the summary, the changes, and a
// merged tree that can be folded.
func WriteDiffHTML(w io.Writer, c *diff.Comparison, guide Guide, options DiffOptions) error {
	doc, err := newDiffDocument(c, guide, options)
	if err != nil {
		return err
	}
	page := htmlPage{DiffDocument: doc, words: options.words(c), Lang: options.Lang, Warnings: options.warnings(c)}
	for i := range c.Requests {
		r := htmlRequest{DiffRequest: doc.Requests[i]}
		if d := c.Requests[i].Diff; d != nil {
			r.Root = htmlTree(c, d, guide)
		}
		page.Shown = append(page.Shown, r)
	}
	return diffTemplate.Execute(w, page)
}

type htmlPage struct {
	*DiffDocument
	words diffWords
	Lang  string
	// Warnings name differences that may not come from upstream.
	Warnings []string
	Shown    []htmlRequest
}

type htmlRequest struct {
	DiffRequest
	Root *htmlCall
}

// Title names what is compared.
func (p htmlPage) Title() string {
	if p.A.Scenario != p.B.Scenario {
		return fmt.Sprintf("%s | %s: %s", p.A.Scenario, p.B.Scenario, p.B.K8sVersion)
	}
	return fmt.Sprintf("%s: %s → %s", p.B.Scenario, p.A.Name, p.B.Name)
}

// Legend explains the marks of the tree.
func (p htmlPage) Legend() string {
	var kinds []string
	for _, kind := range diffKinds {
		kinds = append(kinds, diffMarks[kind]+" "+p.words.kind(kind))
	}
	return p.words.Clauses(kinds...)
}

// OnlyIn says which side has a request that the other one lacks.
func (p htmlPage) OnlyIn(r DiffRequest) string {
	if r.CallsA > 0 {
		return p.words.onlyIn(p.A.Name)
	}
	return p.words.onlyIn(p.B.Name)
}

// Facts counts what both sides did.
func (p htmlPage) Facts(r DiffRequest) string {
	return p.words.Sprintf("%d → %d, %d → %d calls", r.StatusA, r.StatusB, r.CallsA, r.CallsB)
}

// SamePath, Smaller, Unchanged and Kind are the headings of the page.
func (p htmlPage) SamePath() string        { return p.words.samePath() }
func (p htmlPage) Smaller(n int) string    { return p.words.Sprintf("Smaller changes: %d", n) }
func (p htmlPage) Unchanged() string       { return p.words.unchanged() }
func (p htmlPage) Kind(k diff.Kind) string { return p.words.kind(k) }

// Telling are the changes that a first look should have.
func (r htmlRequest) Telling() []DiffChange {
	var all []DiffChange
	for _, c := range r.Changes {
		if c.Telling {
			all = append(all, c)
		}
	}
	return all
}

// An htmlCall is a call of the merged tree on the page.
type htmlCall struct {
	Mark, Class, Name, Full, Was, Place, URL string
	// Open is set where something changed below.
	Open     bool
	Calls    int // at and below
	Left     int // below, and left out
	Children []*htmlCall
}

func htmlTree(c *diff.Comparison, d *diff.Diff, guide Guide) *htmlCall {
	differences := NewDifferences(d, guide)
	shown := &diffDrawing{Differences: differences}
	tree := differences.Merged.Tree
	const readable = 20_000 // calls; of a larger tree only what leads to changes is there
	nodes := make([]*htmlCall, tree.Len())
	for i := tree.Len() - 1; i >= 0; i-- { // children before their parents
		n := shown.htmlCall(c, i)
		for child := range tree.Children(i) {
			below := nodes[child]
			n.Calls += below.Calls
			changed := below.Open || len(differences.Merged.Changes[child]) > 0
			n.Open = n.Open || changed
			if changed || tree.Len() <= readable {
				n.Children = append(n.Children, below)
			} else {
				n.Left += below.Calls
			}
		}
		nodes[i] = n
	}
	return nodes[0]
}

func (d *diffDrawing) htmlCall(c *diff.Comparison, i int) *htmlCall {
	call := d.Merged.Tree.Call(i)
	n := &htmlCall{Mark: d.mark(i), Name: call.ShortName(), Full: call.Function, Place: placeOf(call), URL: SourceURL(c.B, call), Calls: 1}
	a, b := d.Merged.A[i], d.Merged.B[i]
	switch {
	case a == diff.None:
		n.Class = "added"
	case b == diff.None:
		n.Class, n.URL = "removed", SourceURL(c.A, call)
	case n.Mark != "":
		n.Class = "changed"
		if was := d.Diff.A.Call(a); was.Function != call.Function {
			n.Was = was.ShortName()
		}
	}
	for _, at := range d.Merged.Changes[i] {
		for _, v := range d.Changes[at].Values {
			n.Was += fmt.Sprintf(" %s: %s → %s", valueLabel(v.Name), shorten(v.A), shorten(v.B))
		}
	}
	return n
}
