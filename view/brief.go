package view

import (
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// A Brief summarizes the changes between two recordings for one line of a history.
type Brief struct {
	Same bool `json:"same" description:"Whether both took the same path."`
	// Marks has the changes that the default view shows.
	Marks   []BriefMark `json:"marks" description:"The changes that a first look should have, by sign."`
	Smaller int         `json:"smaller" description:"How many other changes there are."`
	// Told is empty unless Comparer.Brief is called for sentences.
	Told   []BriefLayer `json:"told" description:"The sentences, by layer, each once."`
	Counts []BriefCount `json:"counts" description:"How many changes there are of each kind, small ones included."`
}

// A BriefMark is the sign of a kind of change, with the changes of that kind. The sign
// is in brackets if both sources have the call but only one side ran it.
type BriefMark struct {
	Mark  string   `json:"mark" description:"The sign, as \"apitrace history\" shows it."`
	Names []string `json:"names" description:"What changed: functions, packages, or values with their old and new text."`
	// Change is StepSame for packages with moved functions.
	Change ChangeKind `json:"-"`
}

// A BriefLayer holds the sentences of one layer.
type BriefLayer struct {
	Layer     string          `json:"layer" description:"Name of the layer, empty for changes in no layer."`
	Title     string          `json:"title" description:"Title of the layer."`
	Colour    string          `json:"colour" description:"Colour of the layer, empty if it has none."`
	Sentences []BriefSentence `json:"sentences" description:"What changed in the layer."`
}

// A BriefSentence is a sentence with its evidence, as in a ComparedSentence.
type BriefSentence struct {
	Text     string   `json:"text" description:"The sentence, without a full stop."`
	Evidence []string `json:"evidence" description:"How the sentence is known, or which condition it depends on: one line each."`
}

// A BriefCount is the number of changes of a kind.
type BriefCount struct {
	Kind  diff.Kind `json:"kind" description:"The kind of change."`
	Title string    `json:"title" description:"The kind in words."`
	Count int       `json:"count" description:"How many there are."`
}

// Brief summarizes the differences. With sentences it takes longer, because they need
// the merged requests.
func (c *Comparer) Brief(sentences bool) *Brief {
	b := &Brief{Same: c.recordings.Same(), Marks: []BriefMark{}, Told: []BriefLayer{}, Counts: []BriefCount{}}
	var packages []string
	counts, byMark := map[diff.Kind]int{}, map[string]*BriefMark{}
	for i := range c.recordings.Requests {
		differences := c.differencesOf(i)
		if differences == nil {
			continue
		}
		for _, p := range differences.Packages {
			packages = appendNew(packages, c.words.Plural(p.Functions, "%[2]s %[3]s %[4]s (%[1]d function)", "%[2]s %[3]s %[4]s (%[1]d functions)", p.Functions, p.From, c.words.Arrow, p.To))
		}
		for _, change := range differences.Changes {
			counts[change.Kind]++
			if change.Telling {
				c.addBriefly(byMark, differences, change)
			} else if !differences.MovedWithPackage(change.Change) {
				b.Smaller++
			}
		}
		if sentences {
			addTold(b, c.Pair(i))
		}
	}
	for _, mark := range c.briefMarks() {
		if m := byMark[mark]; m != nil {
			b.Marks = append(b.Marks, *m)
		}
	}
	if len(packages) > 0 {
		b.Marks = append(b.Marks, BriefMark{Mark: marks[diff.Renamed], Names: packages})
	}
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			b.Counts = append(b.Counts, BriefCount{kind, c.words.kind(kind), n})
		}
	}
	return b
}

// Names returns the names of a mark, or nil.
func (b *Brief) Names(mark string) []string {
	for i := range b.Marks {
		if b.Marks[i].Mark == mark {
			return b.Marks[i].Names
		}
	}
	return nil
}

// addBriefly adds a telling change to the names of its mark.
func (c *Comparer) addBriefly(byMark map[string]*BriefMark, differences *Differences, change ShownChange) {
	for _, shown := range c.newBetween(differences, change) {
		mark := c.briefMark(differences, shown.Change)
		if byMark[mark] == nil {
			byMark[mark] = &BriefMark{Mark: mark}
		}
		byMark[mark].Names = appendNew(byMark[mark].Names, c.briefly(differences, shown))
		byMark[mark].Change = changeKind(shown.Kind)
	}
}

// changeKind returns the ChangeKind of a step with a change of this kind.
func changeKind(kind diff.Kind) ChangeKind {
	switch kind {
	case diff.Added:
		return StepAdded
	case diff.Removed:
		return StepRemoved
	}
	return StepChanged
}

// addTold adds the sentences of a request, each once.
func addTold(b *Brief, p *Pair) {
	for _, l := range p.Summary().Layers {
		if len(l.Statements) == 0 {
			continue
		}
		at := slices.IndexFunc(b.Told, func(told BriefLayer) bool { return told.Title == l.Title && told.Layer == l.Layer })
		if at < 0 {
			at = len(b.Told)
			b.Told = append(b.Told, BriefLayer{l.Layer, l.Title, LayerColour(l.Layer), []BriefSentence{}})
		}
		for i := range l.Statements {
			said := p.Sentence(&l.Statements[i])
			if !slices.ContainsFunc(b.Told[at].Sentences, func(s BriefSentence) bool { return s.Text == said.Text }) {
				b.Told[at].Sentences = append(b.Told[at].Sentences, BriefSentence{said.Text, said.Evidence})
			}
		}
	}
}

// newBetween replaces an added or removed call by the key steps that KeysBetween finds,
// each as a change. It leaves out a key step below the call if the sources do not show
// that its function is in both of them, or only in this side's. If no key step remains,
// newBetween returns the change itself.
func (c *Comparer) newBetween(differences *Differences, change ShownChange) []ShownChange {
	if change.Kind != diff.Added && change.Kind != diff.Removed {
		return []ShownChange{change}
	}
	var all []ShownChange
	for _, call := range differences.KeysBetween(change.Change, c.guide) {
		below := ShownChange{Change: OnlyChange(change.Kind, call)}
		if call == change.A || call == change.B {
			all = append(all, change)
		} else if c.reasons.Of(differences.Diff, below.Change).Absent || c.reasons.InBoth(differences.CallOf(below.Change)) {
			all = append(all, below)
		}
	}
	if len(all) == 0 {
		return []ShownChange{change}
	}
	return all
}

// briefMarks returns the marks of a history in order.
func (c *Comparer) briefMarks() []string {
	all := []string{marks[diff.Added], marks[diff.Removed], "(+)", "(-)", c.words.NoSpan + marks[diff.Added], c.words.NoSpan + marks[diff.Removed]}
	for _, kind := range []diff.Kind{diff.Renamed, diff.Moved, diff.Repeated, diff.Reordered, diff.Valued} {
		all = append(all, marks[kind])
	}
	return all
}

// briefMark returns a change's mark in a history. It is in brackets if both sources
// have the call but only one side ran it. If only one side records the function, the mark
// follows the sign for that.
func (c *Comparer) briefMark(differences *Differences, change diff.Change) string {
	mark := marks[change.Kind]
	if change.Kind != diff.Added && change.Kind != diff.Removed {
		return mark
	}
	tree, call := differences.SideOf(change)
	above := tree.Parent(call)
	switch c.reasons.Of(differences.Diff, change).Why {
	case diff.OtherWay, diff.MovedFunction:
		return "(" + mark + ")"
	case diff.NoReason: // only one side makes the call above, but both sources have the function
		if above >= 0 && differences.Partners(tree)[above] == diff.None && c.reasons.InBoth(tree.Call(call)) {
			return "(" + mark + ")"
		}
	case diff.NoSpan, diff.OtherPlace:
		return c.words.NoSpan + mark
	}
	return mark
}

// briefly names the changed function, or says how it changed.
func (c *Comparer) briefly(differences *Differences, change ShownChange) string {
	w, name := &c.words, NameWithPurpose(differences.CallOf(change.Change))
	switch change.Kind {
	case diff.Renamed:
		a, b := differences.Diff.A.Call(change.A), differences.Diff.B.Call(change.B)
		if was := a.ShortName(); was != name {
			return was + " " + w.Arrow + " " + name
		}
		was, is := FilesApart(a.File, b.File)
		return fmt.Sprintf("%s (%s %s %s)", name, was, w.Arrow, is)
	case diff.Moved:
		d := differences.Diff
		was, is := callerOf(d.A, change.A), callerOf(d.B, change.B)
		if was == "" || is == "" || was == is {
			return name
		}
		was, is = apart(was, is)
		return c.words.Sprintf("%s (caller %s %s %s)", name, was, w.Arrow, is)
	case diff.Repeated:
		return fmt.Sprintf("%s %s%d %s %s%d", name, w.Times, change.CountA, w.Arrow, w.Times, change.CountB)
	case diff.Valued:
		v := change.Fresh[0]
		was, is := InWordsApart(v)
		return fmt.Sprintf("%s: %s %s %s %s", name, ValueLabel(v.Name), QuoteEmpty(oneLine(was)), w.Arrow, QuoteEmpty(oneLine(is)))
	}
	return name
}

// appendNew appends a text unless the list has it.
// callerOf returns the full name of a call's caller, or "".
func callerOf(tree *trace.Tree, call int) string {
	above := tree.Parent(call)
	if above < 0 {
		return ""
	}
	return tree.Call(above).Function
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
