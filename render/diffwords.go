package render

import (
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// diffWords has the words for the sentences about changes.
type diffWords struct {
	message.Printer
	// scenarios is set for two scenarios on one release, where nothing changed with time.
	scenarios bool
	// nameA and nameB are the names of the sides.
	nameA, nameB string
	// units are those of times.
	units glyphs
}

// kind names a kind of changes.
func (w *diffWords) kind(k diff.Kind) string { return kindNames[k].Localize(w.Printer) }

var kindNames = map[diff.Kind]message.Message{
	diff.Added: message.Of("added"), diff.Removed: message.Of("removed"), diff.Moved: message.Of("moved"), diff.Renamed: message.Of("renamed"),
	diff.Repeated: message.Of("repeated"), diff.Reordered: message.Of("reordered"), diff.Valued: message.Of("with other values"), diff.Timed: message.Of("timing only"),
}

// samePath, smaller and unchanged are headings and what stands in place of a list.
func (w *diffWords) smaller() string   { return w.Sprintf("Smaller changes") }
func (w *diffWords) unchanged() string { return w.Sprintf("No difference recorded") }
func (w *diffWords) samePath() string  { return w.Sprintf("the same path") }

func (w *diffWords) onlyIn(side string) string { return w.Sprintf("only in %s", side) }

// between and colon stand between sentences, and behind a heading.
func (w *diffWords) between() string { return w.Sprintf("; ") }
func (w *diffWords) colon() string   { return w.Sprintf(": ") }
