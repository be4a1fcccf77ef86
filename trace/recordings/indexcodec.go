package recordings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/columns"
)

// An index holds all releases' programs. Most functions are the same in several
// releases, so each text is stored once, with its releases.
type index struct {
	// releases are the releases, oldest first. There are at most maxReleases.
	releases []string
	// programs are the names of the traced programs.
	programs []string
	// texts are sorted by name.
	texts []indexText
	gates []indexGate
}

// maxReleases is the number of bits in a set of releases.
const maxReleases = 64

// An indexText is one version of a function's text.
type indexText struct {
	Source
	// in has a set of releases for each program: bit r stands for releases[r].
	in []uint64
}

// An indexGate is a feature gate of a program.
type indexGate struct {
	program int
	name    string
	// known and on are sets of releases: bit r stands for releases[r].
	known, on uint64
}

// packIndex returns the content of the index file. The keys of releases are
// releases, then program names.
func packIndex(releases map[string]map[string]*Program) ([]byte, error) {
	x := &index{releases: slices.SortedFunc(maps.Keys(releases), semver.Compare)}
	if len(x.releases) > maxReleases {
		return nil, fmt.Errorf("packing the index: got %d releases, expected at most %d", len(x.releases), maxReleases)
	}
	programs := map[string]bool{}
	for _, of := range releases {
		for name := range of {
			programs[name] = true
		}
	}
	x.programs = slices.Sorted(maps.Keys(programs))
	x.addTexts(releases)
	x.addGates(releases)
	c := &codec{Codec: columns.NewWriter()}
	c.codeIndex(x)
	packed, err := c.Pack(nil)
	if err != nil {
		return nil, fmt.Errorf("packing the index: %w", err)
	}
	return packed, nil
}

func (x *index) addTexts(releases map[string]map[string]*Program) {
	known := map[string][]int{} // positions of the texts, by function
	for r, release := range x.releases {
		for p, program := range x.programs {
			of := releases[release][program]
			if of == nil {
				continue
			}
			for _, f := range of.Functions {
				at := slices.IndexFunc(known[f.Name], func(i int) bool { return x.texts[i].equal(&f) })
				if at < 0 {
					at = len(known[f.Name])
					known[f.Name] = append(known[f.Name], len(x.texts))
					x.texts = append(x.texts, indexText{Source: f, in: make([]uint64, len(x.programs))})
				}
				x.texts[known[f.Name][at]].in[p] |= 1 << r
			}
		}
	}
	slices.SortStableFunc(x.texts, func(a, b indexText) int { return cmp.Compare(a.Name, b.Name) })
}

func (s *Source) equal(other *Source) bool {
	return s.File == other.File && s.Spanless == other.Spanless && slices.Equal(s.Calls, other.Calls)
}

func (x *index) addGates(releases map[string]map[string]*Program) {
	for p, program := range x.programs {
		all := map[string]*indexGate{}
		for r, release := range x.releases {
			of := releases[release][program]
			if of == nil {
				continue
			}
			for name, on := range of.Gates {
				if all[name] == nil {
					all[name] = &indexGate{program: p, name: name}
				}
				all[name].known |= 1 << r
				if on {
					all[name].on |= 1 << r
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			x.gates = append(x.gates, *all[name])
		}
	}
}

// unpackIndex reads the output of packIndex.
func unpackIndex(packed []byte) (*index, error) {
	opened, err := columns.Open(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the index: %w", err)
	}
	c, x := &codec{Codec: opened}, new(index)
	c.codeIndex(x)
	if err := c.Close(); err != nil {
		return nil, fmt.Errorf("reading the index: %w", err)
	}
	return x, nil
}

// program returns the index of a program of a release, or nil.
func (x *index) program(release, program string) *Program {
	r, p := slices.Index(x.releases, release), slices.Index(x.programs, program)
	if r < 0 || p < 0 {
		return nil
	}
	of := &Program{Gates: x.gatesOf(r, p)}
	for _, f := range x.functions(r, p) {
		of.Functions = append(of.Functions, *f)
	}
	if len(of.Functions) == 0 {
		return nil
	}
	return of
}

// functions returns the functions of a program of a release, sorted by name. It
// does not copy them, because a release has tens of thousands.
func (x *index) functions(release, program int) []*Source {
	n := 0
	for i := range x.texts {
		n += int(x.texts[i].in[program] >> release & 1)
	}
	found := make([]*Source, 0, n)
	for i := range x.texts {
		if x.texts[i].in[program]>>release&1 == 1 {
			found = append(found, &x.texts[i].Source)
		}
	}
	return found
}

// gatesOf returns the feature gates of a program of a release, with their defaults.
func (x *index) gatesOf(release, program int) map[string]bool {
	all := map[string]bool{}
	for _, g := range x.gates {
		if g.program == program && g.known>>release&1 == 1 {
			all[g.name] = g.on>>release&1 == 1
		}
	}
	return all
}

func (c *codec) codeIndex(x *index) {
	columns.List(c.Codec, "releases", &x.releases, func(s *string) { c.Text("release", s) })
	columns.List(c.Codec, "programs", &x.programs, func(s *string) { c.Text("program", s) })
	columns.List(c.Codec, "functions", &x.texts, func(t *indexText) {
		c.Text("name", &t.Name)
		c.Text("file", &t.File)
		columns.Int(c.Codec, "spanless", &t.Spanless)
		if !c.Writing() {
			t.in = make([]uint64, len(x.programs))
		}
		for p := range t.in {
			c.Number("in", &t.in[p])
		}
		line := 0
		columns.List(c.Codec, "calls", &t.Calls, func(call *SourceCall) {
			c.sourceCall(call, line)
			line = call.Line
		})
	})
	columns.List(c.Codec, "gates", &x.gates, func(g *indexGate) {
		columns.Int(c.Codec, "gate.program", &g.program)
		c.Text("gate.name", &g.name)
		c.Number("gate.known", &g.known)
		c.Number("gate.on", &g.on)
	})
}

// sourceCall stores a call. line is the line of the previous call.
func (c *codec) sourceCall(call *SourceCall, line int) {
	at := int64(call.Line)
	c.Step("call.line", &at, int64(line))
	call.Line = int(at)
	columns.Int(c.Codec, "call.kind", &call.Kind)
	c.Text("call.name", &call.Name)
	c.Text("call.gate", &call.Gate)
	c.Flag("call.deferred", &call.Deferred)
	columns.Int(c.Codec, "call.branch", &call.Branch.Kind)
	if call.Branch.Kind == NoBranch {
		return
	}
	c.Text("branch.text", &call.Branch.Text)
	above := int64(call.Branch.Line)
	c.Step("branch.line", &above, int64(call.Line))
	call.Branch.Line = int(above)
	columns.Int(c.Codec, "branch.threshold", &call.Branch.Threshold)
}
