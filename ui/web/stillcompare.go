package web

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// comparisonPiece has the trees of a comparison in one language. Requests has
// one map per pair of requests. A tree is the API's answer to one choice of
// changes. Its key has the values of the parameters show and layer, as
// "telling/" or "all/etcd3".
type comparisonPiece struct {
	Requests []map[string]*view.Comparison `json:"requests"`
}

// comparedCallsPiece says which function's source to compare for each call in
// the trees of a comparison.
type comparedCallsPiece struct {
	// Sources are the keys of the sources of sides A and B.
	Sources   [2]string       `json:"sources"`
	Functions []packedChanged `json:"functions"`
	// Requests has one map per pair of requests. The key is the number of a call.
	// The value has the index of the function in Functions or -1 for none, the
	// line of the call, and 1 if the line is on side B.
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

// packedHunks is the part of a SourceDiff that depends only on the two
// functions. If there are no hunks, Missing may be a sentence that says why.
// If the machine that wrote the data had no sources of a program, Absent is
// the name of the program.
type packedHunks struct {
	Same    bool         `json:"same"`
	Hunks   []SourceHunk `json:"hunks"`
	Missing string       `json:"missing,omitempty"`
	Absent  string       `json:"absent,omitempty"`
}

// changedPair is a function on both sides. folder has the program
// and the folder on side B.
type changedPair struct {
	a, b             sourceName
	programA, folder string
	programB         string
}

// comparison puts a comparison into pieces below a path, without its hunks
// (packer.hunks). keys are the keys of the sources of both sides.
func (s *packer) comparison(c *compared, path string, keys [2]string, put func(piece) error) error {
	shown := make([]map[int]bool, len(c.Requests)) // the calls in the trees, by pair of requests
	for _, lang := range pageLanguages {
		out := comparisonPiece{}
		for n := range c.Requests {
			if shown[n] == nil {
				shown[n] = map[int]bool{}
			}
			trees, err := c.chosenTrees(n, lang, shown[n])
			if err != nil {
				return err
			}
			out.Requests = append(out.Requests, trees)
		}
		if err := put(piece{path + "/" + lang, out}); err != nil {
			return err
		}
		clear(c.trees) // written already: the sources need only the differences
	}
	calls, err := s.comparedCalls(c, keys, shown)
	if err != nil {
		return err
	}
	return put(piece{path + "/calls", calls})
}

// chosenTrees returns the trees of a pair of requests, one for each choice that the page
// offers, and adds their calls to shown.
func (c *compared) chosenTrees(n int, lang string, shown map[int]bool) (map[string]*view.Comparison, error) {
	trees := map[string]*view.Comparison{}
	add := func(show, layer string) error {
		tree, err := c.tree(diffTreeKey{n, lang, show, layer})
		if err == nil {
			trees[show+"/"+layer] = tree
			note(tree, shown)
		}
		return err
	}
	if err := errors.Join(add("telling", ""), add("all", "")); err != nil {
		return nil, err
	}
	for _, layer := range trees["telling/"].Layers {
		if layer.Name == "" {
			continue
		}
		if err := add("all", layer.Name); err != nil {
			return nil, err
		}
	}
	return trees, nil
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

// comparedCalls returns the functions to compare for the calls in shown. It
// also adds them to s.changed.
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
			return &packedHunks{Hunks: []SourceHunk{}, Absent: strings.TrimSpace(side.program)}, nil
		case why != "":
			return &packedHunks{Hunks: []SourceHunk{}, Missing: why}, nil
		}
	}
	a, b := s.texts[pair.a], s.texts[pair.b]
	out := SourceDiff{Hunks: []SourceHunk{}}
	err := out.compare(a, b, &Source{Program: pair.programA, Lines: highlight(a)}, &Source{Program: pair.programB, Lines: highlight(b)})
	return &packedHunks{Same: out.Same, Hunks: out.Hunks}, err
}
