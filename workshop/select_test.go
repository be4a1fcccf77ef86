package workshop

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/trace"
)

// handmade is a recording of one request, drawn as a tree. After a function's name come
// its values (name=value), "@etcd" if it runs in etcd, and "!" with its error.
const handmade = `
a.Serve
  b.(*Filter).Check user=learner
  c.Handle
    d.(*Store).Get
      e.(*store).Get key=/registry/x
        g.Range @etcd
          g.read @etcd !not found
      f.Decode
    f.Encode
      f.Decode
`

// parseTree makes the recording of a drawn tree.
func parseTree(t *testing.T, drawn string) *trace.Recording {
	t.Helper()
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/x", Status: 200}
	var above []string
	for i, line := range strings.Split(strings.Trim(drawn, "\n"), "\n") {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		text, failure, _ := strings.Cut(strings.TrimSpace(line), " !")
		words := strings.Fields(text)
		c := trace.Call{
			ID: fmt.Sprintf("%016x", i+1), Function: "example.com/" + words[0], File: "example.com/x.go", Line: i + 1,
			Process: "kube-apiserver", Goroutine: 1, StartNs: int64(i), DurationNs: 1, Error: failure,
		}
		for _, word := range words[1:] {
			if name, value, ok := strings.Cut(word, "="); ok {
				c.Attributes = map[string]string{name: value}
			} else {
				c.Process = strings.TrimPrefix(word, "@")
			}
		}
		above = append(above[:depth], c.ID)
		if depth > 0 {
			c.Parent = above[depth-1]
		}
		r.Calls = append(r.Calls, c)
	}
	rec := &trace.Recording{Scenario: "handmade", K8sVersion: "v1.37.1", Requests: []trace.Request{r}}
	if err := rec.Validate(); err != nil {
		t.Fatal(err)
	}
	return rec
}

func handmadeTraces(t *testing.T) *traces {
	t.Helper()
	recordings := map[string]*trace.Recording{
		"handmade": parseTree(t, handmade),
		"other":    parseTree(t, "a.Serve\n  c.Handle\n"),
	}
	j := &Judge{
		Recordings: func(_, scenario string) (*trace.Recording, error) { return recordings[scenario], nil },
		Layer: func(f string) string {
			return map[bool]string{true: "codec"}[strings.HasPrefix(f, "example.com/f.")]
		},
	}
	return j.traces(&Exercise{Scenario: "handmade", Also: map[string]Source{"other": {Scenario: "other"}}})
}

func TestSelections(t *testing.T) {
	for selection, want := range map[string]string{
		"e.(*store).Get":                           "e.(*store).Get",
		"Get":                                      "d.(*Store).Get e.(*store).Get",
		"[g.Range, c.Handle]":                      "c.Handle g.Range",
		"'example.com/....Get'":                    "d.(*Store).Get e.(*store).Get",
		"'f....'":                                  "f.Decode f.Encode f.Decode",
		"{process: etcd}":                          "g.Range g.read",
		"{layer: codec, take: first}":              "f.Decode",
		"{layer: codec, take: outermost}":          "f.Decode f.Encode",
		"{layer: codec, take: last}":               "f.Decode",
		"{values: {key: /registry/...}}":           "e.(*store).Get",
		"{values: {user: admin}}":                  "",
		"{error: ...}":                             "g.read",
		"{error: not found}":                       "g.read",
		"{process: etcd, error: ''}":               "g.Range",
		"{function: Get, above: {process: etcd}}":  "d.(*Store).Get e.(*store).Get",
		"{function: Get, calls: {process: etcd}}":  "e.(*store).Get",
		"{below: c.Handle, function: f.Decode}":    "f.Decode f.Decode",
		"{calledBy: c.Handle}":                     "d.(*Store).Get f.Encode",
		"{before: c.Handle}":                       "a.Serve b.(*Filter).Check",
		"{after: {process: etcd, take: last}}":     "f.Decode f.Encode f.Decode",
		"{before: nothing}":                        "",
		"{after: nothing}":                         "",
		"{layer: codec, not: {below: f.Encode}}":   "f.Decode f.Encode",
		"{of: {function: Get, take: last}}":        "e.(*store).Get",
		"{of: {take: first}, function: d.Nothing}": "",
		"{alsoIn: other}":                          "a.Serve c.Handle",
		"{notIn: other, take: first}":              "b.(*Filter).Check",
		"{in: other}":                              "a.Serve c.Handle",
		"{function: $answer}":                      "c.Handle",
		"Gte":                                      "",
	} {
		var s Selection
		if err := yaml.Unmarshal([]byte(selection), &s); err != nil {
			t.Errorf("%s: %v", selection, err)
			continue
		}
		traces := handmadeTraces(t)
		traces.answer = []string{"example.com/c.Handle"}
		c, err := traces.choose(&s)
		if err != nil {
			t.Errorf("%s: %v", selection, err)
			continue
		}
		var got []string
		for _, i := range c.indices() {
			got = append(got, c.tree.Call(i).ShortName())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s chooses %q, expected %q", selection, got, want)
		}
	}
}

func TestTests(t *testing.T) {
	for test, want := range map[string]bool{
		"{some: g.Range}":                              true,
		"{some: g.Put}":                                false,
		"{none: g.Put}":                                true,
		"{none: g.Range}":                              false,
		"{some: g.Range, none: g.Put}":                 true,
		"{some: g.Range, none: f.Encode}":              false,
		"{count: {of: {layer: codec}, is: 3}}":         true,
		"{count: {of: {layer: codec}, is: 2}}":         false,
		"{count: {of: {layer: codec}, atLeast: 4}}":    false,
		"{count: {of: {layer: codec}, atMost: 3}}":     true,
		"{inOrder: [b.(*Filter).Check, g.Range]}":      true,
		"{inOrder: [g.Range, b.(*Filter).Check]}":      false,
		"{inOrder: [g.Range, nothing]}":                false,
		"{request: {method: GET, status: 200}}":        true,
		"{request: {status: 404}}":                     false,
		"{request: {path: /...}}":                      true,
		"{request: {stored: PUT /registry/...}}":       false,
		"{all: [{some: g.Range}, {some: g.Put}]}":      false,
		"{any: [{some: g.Put}, {some: g.Range}]}":      true,
		"{any: [{some: g.Put}, {none: g.Range}]}":      false,
		"{not: {some: g.Put}}":                         true,
		"{not: {all: [{some: g.Range}, {some: Get}]}}": false,
	} {
		var asked Test
		if err := yaml.Unmarshal([]byte(test), &asked); err != nil {
			t.Errorf("%s: %v", test, err)
			continue
		}
		holds, failed, err := handmadeTraces(t).ask(&asked)
		if err != nil || holds != want {
			t.Errorf("%s: got %v and the error %v, expected %v", test, holds, err, want)
		}
		if err == nil && !holds && !want {
			if why := describe(failed); why.String() == "" || why.In("zh") == why.String() {
				t.Errorf("%s fails, expected describe to have a text in English and another in Chinese", test)
			}
		}
	}
}

func TestRequestThatIsNotThere(t *testing.T) {
	_, err := handmadeTraces(t).choose(&Selection{Request: 2})
	if err == nil || !strings.Contains(err.Error(), "request 2 does not exist: the recording of handmade has 1") {
		t.Errorf("got the error %v, expected that request 2 does not exist", err)
	}
}

// TestSelectionsInEvents selects in the first event with a path: other requests and events
// come before it, and another event with such a path after it.
func TestSelectionsInEvents(t *testing.T) {
	traces := handmadeTraces(t)
	a, err := traces.recording("")
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range []struct{ method, path, drawn string }{
		{"GET", "scheduler ADDED Pod default/web", "h.Request"},
		{trace.MethodEvent, "controllers ADDED Pod default/web", "h.Sync"},
		{trace.MethodEvent, "scheduler ADDED Pod default/web", "h.Schedule\n  h.Bind"},
		{trace.MethodEvent, "scheduler ADDED Pod default/more", "h.Later"},
	} {
		r := parseTree(t, added.drawn).Requests[0]
		r.Method, r.Path = added.method, added.path
		a.trees = append(a.trees, trace.TreeOfValid(&r))
	}
	for path, want := range map[string]string{
		"scheduler ADDED Pod ...":           "example.com/h.Schedule example.com/h.Bind",
		"scheduler ADDED Pod default/more":  "example.com/h.Later",
		"controllers ADDED Pod default/web": "example.com/h.Sync",
	} {
		c, err := traces.choose(&Selection{Event: path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := strings.Join(c.functions(), " "); got != want {
			t.Errorf("%s chooses %q, expected %q", path, got, want)
		}
	}
	if _, err := traces.choose(&Selection{Event: "kubelet ..."}); err == nil || !strings.Contains(err.Error(), `the recording of handmade has no event "kubelet ..."`) {
		t.Errorf("got the error %v, expected that there is no such event", err)
	}
}

// TestRepliesToFind checks the judge's own replies to a function that is not the right one.
func TestRepliesToFind(t *testing.T) {
	for answer, want := range map[string]string{
		"c.Handle":          "go further down",
		"g.Range":           "go further up",
		"b.(*Filter).Check": "look further on",
		"f.Encode":          "look further back",
		"e.(*store).Gte":    "The most similar names on this path:\n\n- `e.(*store).Get`",
		"xyzzy":             "is not on this path at all",
	} {
		traces := handmadeTraces(t)
		traces.exercise.Find = &Selection{Function: Names{"e.(*store).Get"}}
		verdict, err := judgeFind(traces, answer)
		if err != nil || verdict.Passed || !strings.Contains(verdict.Reply.String(), want) {
			t.Errorf("%q: got %+v and the error %v, expected a reply with %q", answer, verdict, err, want)
		}
		if err == nil && verdict.Reply.In("zh") == "" {
			t.Errorf("%q: no reply in Chinese", answer)
		}
	}
	traces := handmadeTraces(t)
	traces.exercise.Find = &Selection{Function: Names{"e.(*store).Get"}}
	if _, err := judgeFind(traces, "Get"); err == nil || !strings.Contains(err.Error(), `"Get" matches 2 functions`) {
		t.Errorf("a name of two functions, one of them right: got %v, expected that it matches 2 functions", err)
	}
	for _, answer := range []string{"e.(*store).Get", "store.Get", "example.com/e.(*store).Get"} {
		if verdict, err := judgeFind(traces, answer); err != nil || !verdict.Passed {
			t.Errorf("%q: got %+v, %v, expected that it passes", answer, verdict, err)
		}
	}
}

func TestRepliesToOrder(t *testing.T) {
	traces := handmadeTraces(t)
	e := traces.exercise
	e.Name = "order"
	for _, step := range []struct{ id, call string }{{"check", "b.(*Filter).Check"}, {"handle", "c.Handle"}, {"range", "g.Range"}} {
		e.Order = append(e.Order, Step{ID: step.id, Call: Selection{Function: Names{step.call}}})
	}
	for answer, want := range map[string]string{
		"check range handle": "1 of 3 are in their place",
		"range handle check": "1 of 3 are in their place",
	} {
		verdict, err := judgeOrder(traces, answer)
		if err != nil || verdict.Passed || !strings.Contains(verdict.Reply.String(), want) {
			t.Errorf("%q: got %+v and the error %v, expected a reply with %q", answer, verdict, err, want)
		}
	}
	for answer, want := range map[string]string{"check handle": "found 2 of 3 steps; missing: ", "check handle check": "is given twice", "check handle x": "is not one of the steps"} {
		if _, err := judgeOrder(traces, answer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got the error %v, expected one with %q", answer, err, want)
		}
	}
	letters := strings.Join(e.letters([]int{0, 1, 2}), "")
	for _, answer := range []string{"check handle range", letters, strings.ToLower(letters), "check,handle,range"} {
		if verdict, err := judgeOrder(traces, answer); err != nil || !verdict.Passed {
			t.Errorf("%q: got %+v and the error %v, expected that it passes", answer, verdict, err)
		}
	}
}
