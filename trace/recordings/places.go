package recordings

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// A place is a function of a program, with its file and line.
type place struct {
	Process, File string
	Line          int
	Function      string
}

func placeOf(c *trace.Call) place { return place{c.Process, c.File, c.Line, c.Function} }

// places has all functions in the recordings of one release, sorted.
type places struct {
	all   []place
	index map[place]uint64
}

func newPlaces(recordings []*trace.Recording) *places {
	p := &places{index: map[place]uint64{}}
	for _, rec := range recordings {
		for _, r := range rec.Requests {
			for i := range r.Calls {
				p.index[placeOf(&r.Calls[i])] = 0
			}
		}
	}
	for at := range p.index {
		p.all = append(p.all, at)
	}
	slices.SortFunc(p.all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	for i, at := range p.all {
		p.index[at] = uint64(i)
	}
	return p
}

func (c *codec) places(p *places) {
	line := int64(0)
	file, prefix := "", ""
	columns.List(c.Codec, "places", &p.all, func(at *place) {
		c.Text("process", &at.Process)
		c.Text("file", &at.File)
		next := int64(at.Line)
		c.Step("line", &next, line)
		at.Line, line = int(next), next
		// Most names and files begin with the package path.
		if prefix == "" || at.File != file {
			file, prefix = at.File, path.Dir(at.File)+"."
		}
		name, inPackage := strings.CutPrefix(at.Function, prefix)
		c.Flag("inPackage", &inPackage)
		if c.Text("function", &name); inPackage {
			name = prefix + name
		}
		at.Function = name
	})
}
