package web

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// comparisonPiece has the trees of a comparison in one language, one entry per pair of
// requests.
type comparisonPiece struct {
	Requests []packedTrees `json:"requests"`
}

// packedTrees are the trees of a pair of requests. First is a whole comparison. The
// other trees are stored as differences from First.
type packedTrees struct {
	First *view.Comparison `json:"first"`
	// Trees maps a layer to the tree with all changes of the layer. The tree under ""
	// has the changes of all layers.
	Trees map[string]packedTree `json:"trees"`
}

// packedTree is the part of a view.Comparison that depends on the choice of changes.
type packedTree struct {
	Sections []view.ComparedSection `json:"sections"`
	Legend   []string               `json:"legend"`
	Shown    int                    `json:"shown"`
	Folded   int                    `json:"folded"`
	Hidden   []string               `json:"hidden,omitempty"`
	TooMany  int                    `json:"tooMany,omitempty"`
	// Steps has the target steps of each layer's sentences, by layer.
	Steps [][]int `json:"steps"`
}

// comparedCallsPiece maps the calls in the trees of a comparison to the functions with
// compared sources.
type comparedCallsPiece struct {
	// Sources are the keys of the sources of sides A and B.
	Sources   [2]string       `json:"sources"`
	Functions []packedChanged `json:"functions"`
	// Requests has one map per request. The key is the number of a call. The value is
	// the number of the call's function or -1 for none, the line of the call, and 1 if
	// the line is on side B.
	Requests []map[int][3]int `json:"requests"`
}

// packedChanged is a function on both sides.
type packedChanged struct {
	A       *SourceSide `json:"a"`
	B       *SourceSide `json:"b"`
	Process [2]string   `json:"process"`
	Compare string      `json:"compare,omitempty"`
}

// hunksPiece has the changed parts of the functions of a package. The first key is the
// function's name on side B, the second its name on side A.
type hunksPiece map[string]map[string]packedHunks

// packedHunks are the differences of two texts, or a reason why they are missing.
// Missing is a sentence. Absent is the name of a program: the machine that wrote the
// data had no sources of this program.
type packedHunks struct {
	Hunks   []packedHunk `json:"hunks,omitempty"`
	Missing string       `json:"missing,omitempty"`
	Absent  string       `json:"absent,omitempty"`
}

// packedHunk is a changed part. A and B are its first lines on both sides. Lines has
// one letter per line: " " for a line on both sides, "-" for A, "+" for B.
type packedHunk struct {
	A     int    `json:"a"`
	B     int    `json:"b"`
	Lines string `json:"lines"`
}

// changedPair is a function on both sides, with its programs and its folder on side B.
type changedPair struct {
	a, b             sourceName
	programA, folder string
	programB         string
}

// comparison puts a comparison into pieces below a path, without its hunks
// (packer.hunks). keys are the keys of the sources of both sides.
func (s *packer) comparison(c *compared, path string, keys [2]string, put func(piece) error) error {
	shown := make([]map[int]bool, len(c.Requests)) // the calls in the trees, by request
	for _, lang := range pageLanguages {
		out := comparisonPiece{}
		for n := range c.Requests {
			if shown[n] == nil {
				shown[n] = map[int]bool{}
			}
			trees, err := c.packTrees(n, lang, shown[n])
			if err != nil {
				return err
			}
			out.Requests = append(out.Requests, *trees)
		}
		if err := put(piece{path + "/" + lang, out}); err != nil {
			return err
		}
	}
	calls, err := s.comparedCalls(c, keys, shown)
	if err != nil {
		return err
	}
	return put(piece{path + "/calls", calls})
}

// packTrees packs the trees of a pair of requests, and adds their calls to shown.
func (c *compared) packTrees(n int, lang string, shown map[int]bool) (*packedTrees, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maker, err := c.maker(n, lang)
	if err != nil {
		return nil, err
	}
	out := &packedTrees{First: maker.Comparison(view.Choice{}), Trees: map[string]packedTree{}}
	note(out.First, shown)
	if c.Requests[n].Diff == nil {
		return out, nil
	}
	add := func(layers ...string) {
		tree := maker.Comparison(view.Choice{Full: true, Filter: view.Filter{Layers: layers}})
		note(tree, shown)
		packed := packedTree{Sections: tree.Sections, Legend: tree.Legend, Shown: tree.Shown, Folded: tree.Folded, Hidden: tree.Hidden, TooMany: tree.TooMany, Steps: [][]int{}}
		for _, layer := range tree.Layers {
			steps := []int{}
			for _, sentence := range layer.Sentences {
				steps = append(steps, sentence.Step)
			}
			packed.Steps = append(packed.Steps, steps)
		}
		out.Trees[strings.Join(layers, "")] = packed
	}
	add()
	for _, layer := range out.First.Layers {
		if layer.Name != "" {
			add(layer.Name)
		}
	}
	return out, nil
}

// note adds the calls of a tree to shown.
func note(tree *view.Comparison, shown map[int]bool) {
	var step func(*view.ComparedStep)
	step = func(s *view.ComparedStep) {
		shown[s.Call] = true
		for i := range s.Children {
			step(&s.Children[i])
		}
	}
	for i := range tree.Sections {
		step(&tree.Sections[i].Root)
		if was := tree.Sections[i].Instead; was != nil {
			step(was)
		}
	}
}

// comparedCalls returns the functions to compare for the calls in shown, and adds them
// to the packer's changed functions.
func (s *packer) comparedCalls(c *compared, keys [2]string, shown []map[int]bool) (*comparedCallsPiece, error) {
	out := &comparedCallsPiece{Sources: keys, Functions: []packedChanged{}}
	functions := numbers[changedPair]{}
	if s.changed[keys] == nil {
		s.changed[keys] = map[changedPair]bool{}
	}
	for n := range c.Requests {
		calls := map[int][3]int{}
		out.Requests = append(out.Requests, calls)
		if c.Requests[n].Diff == nil {
			continue
		}
		differences, err := c.differences(n)
		if err != nil {
			return nil, err
		}
		for _, call := range slices.Sorted(maps.Keys(shown[n])) {
			f := differences.ChangedFunction(call)
			if f == nil {
				calls[call] = [3]int{-1, 0, 0}
				continue
			}
			packed := packChanged(c, f)
			pair := changedPair{sourceName{keys[0], f.A.Process, f.A.Function}, sourceName{keys[1], f.B.Process, f.B.Function},
				packed.A.Program, path.Join(f.B.Process, path.Dir(f.B.File)), packed.B.Program}
			number, isNew := functions.of(pair)
			if isNew {
				out.Functions = append(out.Functions, packed)
			}
			s.changed[keys][pair] = true
			onB := 0
			if f.OnB {
				onB = 1
			}
			calls[call] = [3]int{number, f.Line, onB}
		}
	}
	return out, nil
}

func packChanged(c *compared, f *view.ChangedFunction) packedChanged {
	out := packedChanged{A: c.sideOf(c.a.rec, f.A), B: c.sideOf(c.b.rec, f.B), Process: [2]string{f.A.Process, f.B.Process}}
	if f.A.File == f.B.File {
		out.Compare = trace.CompareURL(c.a.rec, c.b.rec, f.B)
	}
	return out
}

// hunks puts the hunks of all comparisons into pieces. It must run after
// packer.sources.
func (s *packer) hunks(put func(piece) error) error {
	for keys, pairs := range s.changed {
		folders := map[string]hunksPiece{}
		for pair := range pairs {
			packed, err := s.book.compare(pair)
			if err != nil {
				return err
			}
			if folders[pair.folder] == nil {
				folders[pair.folder] = hunksPiece{}
			}
			if folders[pair.folder][pair.b.function] == nil {
				folders[pair.folder][pair.b.function] = map[string]packedHunks{}
			}
			folders[pair.folder][pair.b.function][pair.a.function] = *packed
		}
		for _, folder := range slices.Sorted(maps.Keys(folders)) {
			if err := put(piece{fmt.Sprintf("hunks/%s/%s/%s", keys[0], keys[1], folder), folders[folder]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare returns the differences between the texts of two functions.
func (s *sourceBook) compare(pair changedPair) (*packedHunks, error) {
	for _, side := range []struct {
		name    sourceName
		program string
	}{{pair.a, pair.programA}, {pair.b, pair.programB}} {
		switch why := s.missing[side.name]; {
		case why == absent || why == "" && s.texts[side.name] == nil: // a span of upstream's own has no source
			return &packedHunks{Absent: strings.TrimSpace(side.program)}, nil
		case why != "":
			return &packedHunks{Missing: why}, nil
		}
	}
	hunks, err := source.Hunks(source.Version{Function: s.texts[pair.a], Of: pair.programA}, source.Version{Function: s.texts[pair.b], Of: pair.programB})
	if err != nil {
		return nil, err
	}
	out := &packedHunks{}
	for _, h := range hunks {
		var lines strings.Builder
		for _, line := range h.Lines {
			switch {
			case line.B == 0:
				lines.WriteByte('-')
			case line.A == 0:
				lines.WriteByte('+')
			default:
				lines.WriteByte(' ')
			}
		}
		out.Hunks = append(out.Hunks, packedHunk{h.FromA, h.FromB, lines.String()})
	}
	return out, nil
}
