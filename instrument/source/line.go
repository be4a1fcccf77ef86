package source

import (
	"cmp"
	"path"
	"slices"

	"github.com/kubeapitrace/apitrace/instrument"
)

// At returns the innermost function with a line of a file in its text, from the word "func"
// to its end. The file is named as in trace.Call. At returns nil if the line is in no
// function.
func (t *Tree) At(file string, line int) (*Function, error) {
	p, err := t.Package(path.Dir(file))
	if err != nil {
		return nil, err
	}
	inFile := slices.DeleteFunc(slices.Clone(p.functions), func(f instrument.Function) bool { return f.File != file || f.Line > line })
	slices.SortFunc(inFile, func(a, b instrument.Function) int { // the one that begins last is the innermost
		return cmp.Or(cmp.Compare(b.Line, a.Line), InSourceOrder(b.Name, a.Name))
	})
	for _, known := range inFile {
		f, err := p.Function(known.Name)
		if err != nil {
			return nil, err
		}
		if f.Last >= line {
			return f, nil
		}
	}
	return nil, nil
}
