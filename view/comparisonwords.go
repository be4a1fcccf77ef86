package view

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// comparisonWords has the words for the sentences about changes.
type comparisonWords struct {
	message.Printer
	// scenarios is set for two scenarios on one release. The sentences then do
	// not speak of changes over time.
	scenarios bool
	// nameA and nameB are the names of the sides.
	nameA, nameB string
	Signs
}

func newComparisonWords(c *diff.Comparison, o ComparisonOptions) comparisonWords {
	return comparisonWords{
		Printer: message.For(o.Lang), Signs: SignsFor(o.ASCII), nameA: o.NameA, nameB: o.NameB,
		scenarios: c.A.Scenario != c.B.Scenario && c.A.K8sVersion == c.B.K8sVersion,
	}
}

// kind names a kind of changes.
func (w *comparisonWords) kind(k diff.Kind) string { return kindNames[k].Localize(w.Printer) }

var kindNames = map[diff.Kind]message.Message{
	diff.Added: message.Of("added"), diff.Removed: message.Of("removed"), diff.Moved: message.Of("with another caller"), diff.Renamed: message.Of("renamed"),
	diff.Repeated: message.Of("called more or less often"), diff.Reordered: message.Of("reordered"), diff.Valued: message.Of("with other values"), diff.Timed: message.Of("timing only"),
}

func (w *comparisonWords) samePath() string { return w.Sprintf("the same path") }

func (w *comparisonWords) onlyIn(side string) string { return w.Sprintf("only in %s", side) }

// between separates sentences; colon follows a heading.
func (w *comparisonWords) between() string { return w.Sprintf("; ") }
func (w *comparisonWords) colon() string   { return w.Sprintf(": ") }
