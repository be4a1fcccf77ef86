package judge

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// handmade is the source of a release, written by hand.
type handmade struct {
	texts map[string][]call
	named map[string][]mention
	on    map[string]bool
}

func (h handmade) text(_, function string) ([]call, bool) {
	calls, ok := h.texts[function]
	return calls, ok
}
func (h handmade) mentions(_, name string) []mention { return h.named[name] }
func (h handmade) gate(_, name string) (on, known bool) {
	on, known = h.on[name]
	return on, known
}

// TestJudgeRefuses checks that the judge refuses what is not true.
func TestJudgeRefuses(t *testing.T) {
	within := branch{kind: "in", texts: []string{"ifn>3"}, line: 8, limits: map[string]bool{"size": true}}
	b := handmade{
		texts: map[string][]call{
			"q/p.A": {{name: "q/p.B", static: true, gates: []string{"G"}, branches: []branch{within}}, {name: "q/p.T.M", static: true}, {name: "q/p.New", static: true}},
			"q/p.B": nil, "q/p.New": nil, "q/p.T.M": nil, "q/p.Only": nil, "q/p.F": {{name: "q/p.Only", static: true}},
		},
		named: map[string][]mention{"q/p.T": {{"q/p.New", nil}}, "q/p.New": {{"q/p.A", []string{"G"}}}, "q/p.B": {{"q/p.A", []string{"G"}}, {"", nil}}},
		on:    map[string]bool{"G": true},
	}
	a := handmade{texts: map[string][]call{"q/p.A": {{name: "q/p.B", static: true}, {name: "q/p.T.M", static: true}}, "q/p.B": nil, "q/p.F": nil, "q/p.T.M": nil}, on: map[string]bool{"G": false}}
	request := func(names ...string) *trace.Recording {
		r := trace.Request{TraceID: "a", Method: "GET", Path: "/", Status: 200}
		for i, name := range names {
			c := trace.Call{ID: string(rune('a' + i)), Function: name, Process: "kube-apiserver"}
			if i > 0 {
				c.Parent = "a"
			}
			r.Calls = append(r.Calls, c)
		}
		return &trace.Recording{Requests: []trace.Request{r}}
	}
	j := newJudge("v1.1.0", "v1.2.0", a, b, request("q/p.A", "q/p.F"), request("q/p.A", "q/p.B", "q/p.T.M", "q/p.F", "q/p.Only"))
	j.tables = []table{{"v1.0.0", a.gate}, {"v1.1.0", a.gate}, {"v1.2.0", b.gate}}
	const ran = "here p.A calls p.B only in v1.2.0, though both sources have the call"
	for sentence, isTrue := range map[string]bool{
		"p.F now calls p.Only, new in the source": true,
		"p.A now calls p.B":                       false,
		"p.A now calls p.B, new in the source":    false,
		"p.F no longer calls p.Only":              false,
		ran:                                       true,
		ran + ": feature gate G is on by default since v1.2":                                                                 true,
		ran + ": feature gate G is on by default since v1.1":                                                                 false,
		ran + ": feature gate G is off by default since v1.2":                                                                false,
		ran + ": feature gate H is on by default since v1.2":                                                                 false,
		"here p.A calls p.T.M only in v1.2.0, though both sources have the call: feature gate G is on by default since v1.2": true,
		"p.F now calls p.Only, new in the source: feature gate G is on by default since v1.2":                                false,
		ran + ", where `n > 3` holds (p/f.go:8)":                                                                             true,
		ran + ", where `n > 3` holds (p/f.go:8), a limit of size":                                                            true,
		ran + ", where `n > 3` holds (p/f.go:8), a limit of time":                                                            false,
		ran + ", where `n > 3` holds (p/f.go:9)":                                                                             false,
		ran + ", where `n > 4` holds (p/f.go:8)":                                                                             false,
		ran + ", where `n > 3` does not hold (p/f.go:8)":                                                                     false,
		ran + ", where `n > 3` holds (p/f.go:8); in v1.1.0 in no branch":                                                     true,
		ran + ", where `n > 3` holds (p/f.go:8); in v1.1.0, where `ok` holds":                                                false,
		"p.F calls p.Old twice in v1.1.0, p.Only once in v1.2.0":                                                             true,
		"p.A calls p.B twice in v1.1.0, p.Only once in v1.2.0":                                                               false,
		"p.B is nothing that anybody says":                                                                                   false,
		ran + ", where `n` is of type `T` (p/f.go:8)":                                                                        false,
		ran + ", where `n > 3` does not hold (p/f.go:8), else it leaves before":                                              false,
	} {
		if err := j.judge(sentence); (err == nil) != isTrue {
			t.Errorf("%q: %v", sentence, err)
		}
	}
}
