package view

import (
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A Differences has all changes between two requests, and marks the changes
// that the default view shows.
type Differences struct {
	Diff *diff.Diff
	// Merged is the tree of both requests. It is nil until Merge is called,
	// because it holds a copy of each call.
	Merged *diff.Merged
	// Changes are the changes of Diff, with additional information for a view.
	Changes []ShownChange
	// Packages are the moves of at least three functions from one package to
	// another.
	Packages []PackageMove
	// keyA and keyB mark a side's calls that are key steps or lead to one.
	keyA, keyB []bool
}

// A ShownChange is a change with additional information for a view.
type ShownChange struct {
	diff.Change
	// Layer is the layer of the changed function, or "".
	Layer string
	// Telling is set if the default view shows the change: it concerns key
	// steps, and no earlier change says the same.
	Telling bool
	// Fresh has the Values to show. It leaves out values that an earlier change
	// has.
	Fresh []diff.ValueChange
	// At is the call of Merged.Tree that shows the change. Merge sets it.
	At int
}

// A PackageMove says that several functions moved from one package to another
// and kept their names.
type PackageMove struct {
	Layer    string // of the first such function
	From, To string // import paths
	// Functions counts the moved functions.
	Functions int
}

// NewDifferences prepares the differences between two requests for a view.
func NewDifferences(d *diff.Diff, classifier Classifier) *Differences {
	c := NewUnmerged(d, classifier)
	c.Merge()
	return c
}

// Merge makes the tree of both requests, and sets At of each change. If there is a tree
// already, it does nothing.
func (c *Differences) Merge() {
	if c.Merged != nil {
		return
	}
	c.Merged = c.Diff.Merge()
	for i, changes := range c.Merged.Changes {
		for _, n := range changes {
			c.Changes[n].At = i
		}
	}
}

// NewUnmerged prepares the differences between two requests for a list of
// changes, which needs no tree.
func NewUnmerged(d *diff.Diff, classifier Classifier) *Differences {
	c := &Differences{Diff: d, keyA: keysBelow(d.A, classifier), keyB: keysBelow(d.B, classifier)}
	c.findPackageMoves(classifier)
	t := &changeSelector{Differences: c, classifier: classifier, seen: map[string]bool{}}
	for _, change := range d.Changes {
		telling, fresh := t.selects(&change)
		c.Changes = append(c.Changes, ShownChange{
			Change: change, Layer: classifier.Layer(c.CallOf(change).Function), Telling: telling, Fresh: fresh,
		})
	}
	return c
}

// SideOf returns the tree and the call of a change: on side B if it has the
// call, else on side A.
func (c *Differences) SideOf(change diff.Change) (tree *trace.Tree, call int) {
	if change.B != diff.None {
		return c.Diff.B, change.B
	}
	return c.Diff.A, change.A
}

// CallOf returns the call of a change, as SideOf does.
func (c *Differences) CallOf(change diff.Change) *trace.Call {
	tree, call := c.SideOf(change)
	return tree.Call(call)
}

// Partners returns each call's partner on the other side, or diff.None.
func (c *Differences) Partners(tree *trace.Tree) []int {
	if tree == c.Diff.B {
		return c.Diff.InA
	}
	return c.Diff.InB
}

// findPackageMoves finds the pairs of packages between which several functions
// moved.
func (c *Differences) findPackageMoves(classifier Classifier) {
	const several = 3
	seen := map[string]bool{}
	at := map[[2]string]int{}
	for _, change := range c.Diff.Changes {
		from, to, ok := c.packageOnly(change)
		if !ok || seen[c.Diff.A.Call(change.A).Function] {
			continue
		}
		seen[c.Diff.A.Call(change.A).Function] = true
		key := [2]string{from, to}
		if _, known := at[key]; !known {
			at[key] = len(c.Packages)
			c.Packages = append(c.Packages, PackageMove{Layer: classifier.Layer(c.CallOf(change).Function), From: from, To: to})
		}
		c.Packages[at[key]].Functions++
	}
	c.Packages = slices.DeleteFunc(c.Packages, func(p PackageMove) bool { return p.Functions < several })
}

// packageOnly reports whether a change only moves a function to another
// package. It returns both packages.
func (c *Differences) packageOnly(change diff.Change) (from, to string, ok bool) {
	if change.Kind != diff.Renamed {
		return "", "", false
	}
	a, b := c.Diff.A.Call(change.A).Function, c.Diff.B.Call(change.B).Function
	from, to = funcname.Parse(a).Package, funcname.Parse(b).Package
	return from, to, from != to && a[len(from):] == b[len(to):]
}

// MovedWithPackage reports whether a change is shown as part of the move of a package.
func (c *Differences) MovedWithPackage(change diff.Change) bool {
	from, to, ok := c.packageOnly(change)
	return ok && slices.ContainsFunc(c.Packages, func(p PackageMove) bool { return p.From == from && p.To == to })
}

// A changeSelector selects the changes of the default view.
type changeSelector struct {
	*Differences
	classifier Classifier
	seen       map[string]bool
}

// keysBelow marks the calls that are key steps or lead to one.
func keysBelow(tree *trace.Tree, classifier Classifier) []bool {
	return LeadingTo(tree, func(call *trace.Call) bool { return classifier.Key(call.Function) && !Upstream(call) })
}

// selects reports whether the default view shows a change. For a change of
// values, fresh has the values to show.
func (t *changeSelector) selects(c *diff.Change) (telling bool, fresh []diff.ValueChange) {
	if c.Kind == diff.Timed { // diff only reports times that are worth showing
		return true, nil
	}
	if Upstream(t.CallOf(*c)) || t.MovedWithPackage(*c) || !t.concernsKeySteps(c) {
		return false, nil
	}
	switch c.Kind {
	case diff.Renamed:
		return t.isNew(t.Diff.A.Call(c.A).Function + " " + t.Diff.B.Call(c.B).Function), nil
	case diff.Valued:
		for _, v := range c.Values {
			if t.isNew(fmt.Sprint(v)) {
				fresh = append(fresh, v)
			}
		}
		return len(fresh) > 0, fresh
	}
	return true, nil
}

// concernsKeySteps reports whether a changed call is a key step. For a call that
// was added, removed or moved without its callees, leading to one is enough.
func (t *changeSelector) concernsKeySteps(c *diff.Change) bool {
	switch c.Kind {
	case diff.Removed:
		return t.keyA[c.A]
	case diff.Added:
		return t.keyB[c.B]
	case diff.Moved:
		if t.Diff.Alone(c.A) {
			return t.keyB[c.B]
		}
	}
	return t.classifier.Key(t.Diff.A.Call(c.A).Function) || t.classifier.Key(t.Diff.B.Call(c.B).Function)
}

// isNew reports whether no earlier change had this text. For example, if several
// calls pass a type on, the same value differs in each of them.
func (t *changeSelector) isNew(text string) bool {
	isNew := !t.seen[text]
	t.seen[text] = true
	return isNew
}

// OnlyChange returns the change of a call that only one side makes. kind is
// diff.Added or diff.Removed.
func OnlyChange(kind diff.Kind, call int) diff.Change {
	if kind == diff.Added {
		return diff.Change{Kind: kind, A: diff.None, B: call}
	}
	return diff.Change{Kind: kind, A: call, B: diff.None}
}

// A ChangedFunction is the function to show if a reader compares the source of
// a call of the merged tree. If both sides have the call, it is the called
// function. Otherwise it is the nearest caller that both sides have.
type ChangedFunction struct {
	A, B *trace.Call
	// Line is the line of the function that leads to the call, on side B if OnB
	// is set, else on side A. It is 0 if both sides have the call.
	Line int
	OnB  bool
}

// ChangedFunction returns the function to compare for a call of the merged
// tree. It returns nil if only one side has the call and all its callers.
func (d *Differences) ChangedFunction(call int) *ChangedFunction {
	f := &ChangedFunction{}
	i := call
	for ; d.Merged.A[i] == diff.None || d.Merged.B[i] == diff.None; i = d.Merged.Tree.Parent(i) {
		if d.Merged.Tree.Parent(i) < 0 {
			return nil
		}
		if f.OnB = d.Merged.B[i] != diff.None; f.OnB {
			f.Line = d.Diff.B.Call(d.Merged.B[i]).CallerLine
		} else {
			f.Line = d.Diff.A.Call(d.Merged.A[i]).CallerLine
		}
	}
	f.A, f.B = d.Diff.A.Call(d.Merged.A[i]), d.Diff.B.Call(d.Merged.B[i])
	return f
}
