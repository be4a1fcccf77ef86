package render

import (
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// A DiffBrief is the result of Brief as data, with the sentences of the requests.
type DiffBrief struct {
	Same    bool        `json:"same" description:"Whether both took the same path."`
	Marks   []DiffMark  `json:"marks" description:"What a first look should have, by the sign of the change."`
	Smaller int         `json:"smaller" description:"How many other changes there are."`
	Told    []DiffTold  `json:"told" description:"The sentences, by layer, each once."`
	Counts  []DiffCount `json:"counts" description:"How many changes there are of each kind, small ones included."`
}

// A DiffMark is the sign of a kind of change, with the changes of that kind.
type DiffMark struct {
	Mark  string   `json:"mark" description:"The sign, as \"apitrace history\" has it."`
	Names []string `json:"names" description:"What changed so: functions, or values with what they were and are."`
}

// A DiffTold is the sentences of a layer.
type DiffTold struct {
	Layer     string   `json:"layer" description:"Name of the layer, empty for what is in none."`
	Title     string   `json:"title" description:"Title of the layer."`
	Colour    string   `json:"colour" description:"Colour of the layer, empty if it has none."`
	Sentences []string `json:"sentences" description:"What changed in it."`
}

// A DiffCount is the number of changes of a kind.
type DiffCount struct {
	Kind  diff.Kind `json:"kind" description:"The kind of change."`
	Title string    `json:"title" description:"The kind in words."`
	Count int       `json:"count" description:"How many there are."`
}

// NewDiffBrief summarizes the differences between two recordings.
func NewDiffBrief(c *diff.Comparison, guide Guide, options DiffOptions) (*DiffBrief, error) {
	finder, err := diff.NewReasons(c)
	if err != nil {
		return nil, err
	}
	d := newHistoryDrawing(guide, options)
	b := d.brief(c, finder)
	out := &DiffBrief{Same: c.Same(), Marks: []DiffMark{}, Smaller: b.smaller, Told: []DiffTold{}, Counts: []DiffCount{}}
	for _, mark := range b.marks {
		out.Marks = append(out.Marks, DiffMark{mark, b.told[mark]})
	}
	if len(b.packages) > 0 {
		out.Marks = append(out.Marks, DiffMark{diffMarks[diff.Renamed], b.packages})
	}
	counts := map[diff.Kind]int{}
	index := map[string]int{}
	for _, differences := range b.requests {
		for _, change := range differences.Diff.Changes {
			counts[change.Kind]++
		}
		differences.Merge()
		for _, l := range view.NewSummary(differences, guide, options.sides(c), finder).Layers {
			if len(l.Statements) == 0 {
				continue
			}
			at, known := index[l.Layer]
			if !known {
				at = len(out.Told)
				index[l.Layer] = at
				out.Told = append(out.Told, DiffTold{l.Layer, l.Title, view.LayerColour(l.Layer), []string{}})
			}
			for i := range l.Statements {
				out.Told[at].Sentences = appendNew(out.Told[at].Sentences, l.Statements[i].Text(d.words.Printer, d.duration))
			}
		}
	}
	for _, kind := range diffKinds {
		if n := counts[kind]; n > 0 {
			out.Counts = append(out.Counts, DiffCount{kind, d.words.kind(kind), n})
		}
	}
	return out, nil
}
