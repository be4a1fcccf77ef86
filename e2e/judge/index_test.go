package judge

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// indexed is the source of a release as the index describes it.
type indexed struct {
	*recordings.Code
	mentioned map[function][]mention
}

func indexOf(t *testing.T, release string) *indexed {
	t.Helper()
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		t.Fatalf("the index has no %s: %v", release, err)
	}
	x := &indexed{Code: code, mentioned: map[function][]mention{}}
	for _, program := range code.Programs() {
		for _, f := range code.Functions(program) {
			for _, c := range f.Calls {
				if c.Kind == recordings.CallStatic || c.Kind == recordings.CallMakes {
					at := function{program, c.Name}
					x.mentioned[at] = append(x.mentioned[at], mention{f.Name, gatesOf(c)})
				}
			}
		}
	}
	return x
}

func (x *indexed) programs() []string { return x.Programs() }

func gatesOf(c recordings.SourceCall) []string {
	if c.Gate == "" {
		return nil
	}
	return []string{c.Gate}
}

func (x *indexed) text(program, function string) ([]call, bool) {
	f := x.Function(program, function)
	if f == nil {
		return nil, false
	}
	var calls []call
	for _, c := range f.Calls {
		made := call{gates: gatesOf(c), branches: branchesOf(c)}
		switch c.Kind {
		case recordings.CallStatic:
			made.name, made.static = c.Name, true
		case recordings.CallInterface:
			made.name = c.Name
		case recordings.CallMakes, recordings.CallAsks:
			continue
		}
		calls = append(calls, made)
	}
	return calls, true
}

func branchesOf(c recordings.SourceCall) []branch {
	kind := map[recordings.BranchKind]string{
		recordings.BranchIn: "in", recordings.BranchElse: "else", recordings.BranchPast: "past", recordings.BranchLoop: "loop",
	}[c.Branch.Kind]
	if kind == "" {
		return nil
	}
	text := strings.TrimPrefix(c.Branch.Text, "range ")
	return []branch{{kind: kind, texts: []string{strings.ReplaceAll(text, " ", "")}}}
}

func (x *indexed) mentions(program, name string) []mention {
	return x.mentioned[function{program, name}]
}

func (x *indexed) asked(program, function string) []string {
	f := x.Function(program, function)
	if f == nil {
		return nil
	}
	var gates []string
	for _, c := range f.Calls {
		if c.Kind == recordings.CallAsks {
			gates = append(gates, c.Name)
		}
	}
	return gates
}

func (x *indexed) gate(program, name string) (on, known bool) { return x.Gate(program, name) }
