package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recorded makes a recording in which p.Serve calls the functions in called. A
// function whose name ends with "~" calls nothing.
func recorded(called ...string) *trace.Recording {
	call := func(n int, function string) trace.Call {
		return trace.Call{ID: fmt.Sprintf("%016x", n), Function: function, File: "p/f.go", Line: 1, Process: trace.ProcessAPIServer}
	}
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Calls: []trace.Call{call(1, "p.Serve")}}
	for n, name := range called {
		c := call(n+2, name)
		c.Function, c.Leaf = strings.CutSuffix(name, "~")
		c.Parent, c.CallerLine = r.Calls[0].ID, 2
		r.Calls = append(r.Calls, c)
	}
	return &trace.Recording{K8sVersion: "v1", Requests: []trace.Request{r}}
}

// TestAnOlderRecordingLacksLeaves compares recording B with a recording A that
// has no calls of functions that call nothing. The reason must not claim that
// such a function did not run in A.
func TestAnOlderRecordingLacksLeaves(t *testing.T) {
	code := func(working ...string) *recordings.Code {
		p := &recordings.Program{Functions: []recordings.Source{{Name: "p.Get"}, {Name: "p.Serve", Calls: []recordings.SourceCall{{Name: "p.Get", Line: 1}}}}}
		for _, name := range working {
			p.Functions[0].Calls = append(p.Functions[0].Calls, recordings.SourceCall{Name: name})
		}
		return recordings.NewCode("v1", map[string]*recordings.Program{trace.ProcessAPIServer: p})
	}
	for _, test := range []struct {
		name         string
		codeA, codeB *recordings.Code
		a, b         *trace.Recording
		want         Why
	}{
		{"p.Get calls nothing on both sides", code(), code(), recorded(), recorded("p.Get~"), NoSpan},
		{"p.Get calls something only in B", code(), code("os.Getpid"), recorded(), recorded("p.Get", "p.Leaf~"), NoReason},
		{"p.Get calls something only in A", code("os.Getpid"), code(), recorded(), recorded("p.Get~"), OtherWay},
		{"both recordings have calls of functions that call nothing", code(), code(), recorded("p.Leaf~"), recorded("p.Get~", "p.Leaf~"), OtherWay},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := NewReasonsOf(test.codeA, test.codeB)
			f.a.olderThanLeaves, f.b.olderThanLeaves = !hasLeaves(test.a), !hasLeaves(test.b)
			d := CompareRecordings(test.a, test.b, Options{}).Requests[0].Diff
			for _, c := range d.Changes {
				if c.Kind != Added || d.B.Call(c.B).Function != "p.Get" {
					continue
				}
				got := f.Of(d, c)
				if got.Why != test.want || (got.Spanless == recordings.SpanlessLeaf) != (test.want == NoSpan) {
					t.Errorf("got the reason %+v, expected Why %q", got, test.want)
				}
				return
			}
			t.Errorf("got the changes %+v, expected p.Get as added", d.Changes)
		})
	}
}
