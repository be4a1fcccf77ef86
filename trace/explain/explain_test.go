package explain

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func recording() *trace.Recording {
	call := func(id, parent, function string, start, took int64, from int) trace.Call {
		return trace.Call{ID: "000000000000000" + id, Parent: parent, Function: function, File: "example.org/shop/shop.go", Process: "shop", StartNs: start, DurationNs: took, CallerLine: from}
	}
	r := trace.Request{TraceID: "4387af42cebef2cf258386aeb9064159", Method: "GET", Path: "/cart", Status: 500, Calls: []trace.Call{
		call("1", "", "example.org/shop.Serve", 0, 1000, 0),
		call("2", "0000000000000001", "example.org/shop.Take", 100, 300, 7),
		call("3", "0000000000000002", "example.org/shop.count", 150, 100, 12),
		call("4", "0000000000000002", "example.org/shop.count", 260, 100, 12),
		call("5", "0000000000000001", "example.org/shop.Take", 500, 200, 7),
		call("6", "0000000000000005", "example.org/shop.Take", 550, 50, 0),
	}}
	r.Calls[1].Attributes = map[string]string{"item": "pear", "n": "1"}
	r.Calls[4].Attributes = map[string]string{"item": "apple\x1b[2J", "n": "1"}
	r.Calls[4].Error = "sold out"
	r.Calls[5].Panic = "shop.Take (shop.go:14)"
	return &trace.Recording{Scenario: "buy", Requests: []trace.Request{r}}
}

func TestLook(t *testing.T) {
	got, err := Look("example.org/shop.Take", []*trace.Recording{recording()})
	if err != nil {
		t.Fatal(err)
	}
	const file = "example.org/shop/shop.go"
	want := []Activity{{
		Scenario: "buy", Method: "GET", Path: "/cart", Status: 500, Request: 1, Calls: 3, Ns: 550, SelfNs: 100 + 150 + 50,
		Callers: []Neighbour{{Function: "example.org/shop.Serve", File: file, Line: 7, Calls: 2}, {Function: "example.org/shop.Take", File: file, Line: 0, Calls: 1}},
		Callees: []Neighbour{{Function: "example.org/shop.count", File: file, Line: 12, Calls: 2}, {Function: "example.org/shop.Take", File: file, Line: 0, Calls: 1}},
		Values:  []Value{{"item", []string{"pear", "apple\x1b[2J"}}, {"n", []string{"1"}}},
		Errors:  []string{"sold out", "panic in shop.Take (shop.go:14)"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nexpected\n%+v", got, want)
	}
	if got, err := Look("example.org/shop.other", []*trace.Recording{recording()}); err != nil || got != nil {
		t.Errorf("Look for a function that was not called = %+v, error %v, expected nil", got, err)
	}
}

// TestStartIsNotAnswered checks that the page shows no status for the start and the end
// of a program, which are not requests.
func TestStartIsNotAnswered(t *testing.T) {
	for method, want := range map[string]string{"GET": "buy: GET shop → 0\n", trace.MethodStart: "buy: START shop\n", trace.MethodStop: "buy: STOP shop\n"} {
		page := &Page{Function: "example.org/shop.Take", Recordings: 1, Activities: []Activity{{Scenario: "buy", Method: method, Path: "shop", Calls: 1}}}
		var out bytes.Buffer
		if err := page.Write(&out, WriteOptions{}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: error %v, expected %q in\n%s", method, err, want, &out)
		}
	}
}

func TestWrite(t *testing.T) {
	activities, err := Look("example.org/shop.Take", []*trace.Recording{recording()})
	if err != nil {
		t.Fatal(err)
	}
	page := &Page{
		Function: "example.org/shop.Take", Layer: "Stock", Note: "It takes " + strings.Repeat("one more ", 12) + "item.",
		File: "example.org/shop/shop.go", Line: 9, Program: "shop v1.2.3", URL: "https://example.org/shop.go#L9",
		Activities: activities, Recordings: 1,
	}
	var out bytes.Buffer
	if err := page.Write(&out, WriteOptions{Width: 60}); err != nil {
		t.Fatal(err)
	}
	want := `example.org/shop.Take
layer    Stock
place    example.org/shop/shop.go:9
program  shop v1.2.3
source   https://example.org/shop.go#L9

It takes one more one more one more one more one more one
more one more one more one more one more one more one more
item.

buy: GET /cart → 500
3 calls, 550ns, 300ns of it its own
called by
  shop.go:7                shop.Serve ×2
                           shop.Take
calls
  shop.go:12               shop.count ×2
                           shop.Take
values
  item = pear
  item = apple\x1b[2J
  n = 1
error  sold out
error  panic in shop.Take (shop.go:14)
`
	if out.String() != want {
		t.Errorf("got\n%s\nexpected\n%s", out.String(), want)
	}

	page.Activities, page.Note = nil, ""
	for recordings, text := range map[int]string{0: "apitrace run get-node --save get-node.jsonl", 2: "Not called in the 2 recordings at hand."} {
		out.Reset()
		page.Recordings = recordings
		if err := page.Write(&out, WriteOptions{ASCII: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), text) {
			t.Errorf("with %d recordings: expected %q in\n%s", recordings, text, out.String())
		}
	}
}

// TestNotCalled checks the page of a function that no recording calls. It says whether
// the function has a span, as far as the index of the sources has the function.
func TestNotCalled(t *testing.T) {
	for _, test := range []struct {
		page *Page
		lang string
		want string
	}{
		{&Page{Recordings: 2}, "", "\n\nNot called in the 2 recordings at hand.\n"},
		{&Page{Recordings: 2, Source: &recordings.Source{Name: "p.F"}}, "", "\n\nNot called in the 2 recordings at hand.\nIt has a span: a recording would show a call of it.\n"},
		{&Page{Recordings: 2, Source: &recordings.Source{Name: "p.F"}}, "zh", "\n\n在手头的 2 份录制中没有被调用。\n它有 span：若被调用，录制中会显示这次调用。\n"},
		{&Page{Recordings: 2, Source: &recordings.Source{Name: "p.F", Spanless: recordings.SpanlessBody}}, "", "\n\nIt has no span, so recordings do not show whether it ran: it has no body in Go.\n"},
		{&Page{Function: "example.org/p.(*T).F", Recordings: 2, Untraced: true}, "", "\n\nIts package is not traced, so recordings do not show whether it ran. --trace traces it:\n  apitrace run SCENARIO --trace example.org/p\n"},
		{&Page{Function: "example.org/p.F", Version: "v1.30.4", Recordings: 2, Untraced: true}, "zh", "用 --trace 可以追踪它：\n  apitrace run SCENARIO --k8s v1.30.4 --trace example.org/p\n"},
	} {
		var out bytes.Buffer
		if err := test.page.Write(&out, WriteOptions{Lang: test.lang}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), test.want) {
			t.Errorf("got\n%s\nexpected at the end\n%s", &out, test.want)
		}
	}
}

func TestWriteSpanless(t *testing.T) {
	code := recordings.NewCode("v1", map[string]*recordings.Program{"shop": {Functions: []recordings.Source{
		{Name: "p.F", Calls: []recordings.SourceCall{{Line: 1, Name: "p.leaf"}, {Line: 3, Name: "p.G"}, {Line: 4, Name: "p.leaf"}}},
		{Name: "p.G"}, {Name: "p.leaf", Spanless: recordings.SpanlessLeaf},
	}}})
	page := &Page{Function: "p.F", Recordings: 1, Spanless: Spanless(code, "shop", "p.F", "p/f.go", 10)}
	for lang, want := range map[string]string{
		"en": "\ncalls of functions without a span: recordings do not show whether they were made\n  f.go:11                  p.leaf\n  f.go:14                  p.leaf\n",
		"zh": "\n对没有 span 的函数的调用：录制无法说明它们是否发生过\n  f.go:11                  p.leaf\n  f.go:14                  p.leaf\n",
	} {
		var out bytes.Buffer
		if err := page.Write(&out, WriteOptions{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("got\n%s\nexpected at the end\n%s", out.String(), want)
		}
	}
}

// TestLookAcrossGoroutines checks that the page says where a call runs on another
// goroutine.
func TestLookAcrossGoroutines(t *testing.T) {
	rec := recording()
	rec.Requests[0].Calls[2].NewGoroutine = true
	rec.Requests[0].Calls[3].Attributes = map[string]string{trace.AttrHandoff: "raft"}
	activities, err := Look("example.org/shop.Take", []*trace.Recording{rec})
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{
		"en": "  shop.go:12               shop.count, on a new goroutine\n                           shop.Take\nleads to\n  shop.go:12               shop.count, handed over through raft\n",
		"zh": "  shop.go:12               shop.count，在新的 goroutine 上\n                           shop.Take\n通向\n  shop.go:12               shop.count，经 raft 移交\n",
	} {
		var out bytes.Buffer
		if err := (&Page{Function: "example.org/shop.Take", Activities: activities, Recordings: 1}).Write(&out, WriteOptions{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q in\n%s", want, out.String())
		}
	}
}

// TestLookThroughCode has a line that calls ServeHTTP of an interface. The next span is
// the span of notSystemPrivilegedGroup. From the index of the release, the page must
// know that the line does not call notSystemPrivilegedGroup itself.
func TestLookThroughCode(t *testing.T) {
	const filters = "k8s.io/apiserver/pkg/endpoints/filters"
	call := func(id, parent, function, file string, line, from int) trace.Call {
		return trace.Call{ID: "000000000000000" + id, Parent: parent, Function: function, File: file, Line: line, CallerLine: from, Process: "kube-apiserver"}
	}
	rec := &trace.Recording{Scenario: "get-node", K8sVersion: "v1.37.1", Requests: []trace.Request{{TraceID: "4387af42cebef2cf258386aeb9064159", Method: "GET", Path: "/", Status: 200, Calls: []trace.Call{
		call("1", "", "k8s.io/apiserver/pkg/endpoints/filterlatency.trackCompleted.func1", "k8s.io/apiserver/pkg/endpoints/filterlatency/filterlatency.go", 103, 0),
		call("2", "0000000000000001", filters+".notSystemPrivilegedGroup", filters+"/traces.go", 87, 108),
		call("3", "0000000000000002", "k8s.io/apiserver/pkg/endpoints/request.UserFrom", "k8s.io/apiserver/pkg/endpoints/request/context.go", 75, 88),
	}}}}
	page := func(function, lang string) string {
		t.Helper()
		activities, err := Look(function, []*trace.Recording{rec})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := (&Page{Function: function, Activities: activities, Recordings: 1}).Write(&out, WriteOptions{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, test := range []struct{ function, lang, want string }{
		{"notSystemPrivilegedGroup", "en", "\nreached from\n  filterlatency.go:108     filterlatency.trackCompleted.func1, through net/http\ncalls\n  traces.go:88             request.UserFrom\n"},
		{"notSystemPrivilegedGroup", "zh", "\n间接来自\n  filterlatency.go:108     filterlatency.trackCompleted.func1，经 net/http\n调用\n"},
		{"trackCompleted.func1", "en", "own\nleads to\n  filterlatency.go:108     filters.notSystemPrivilegedGroup, through net/http\n"},
		{"trackCompleted.func1", "zh", "\n通向\n  filterlatency.go:108     filters.notSystemPrivilegedGroup，经 net/http\n"},
	} {
		function := filters + "." + test.function
		if test.function == "trackCompleted.func1" {
			function = rec.Requests[0].Calls[0].Function
		}
		if got := page(function, test.lang); !strings.Contains(got, test.want) {
			t.Errorf("%s: expected %q in\n%s", test.lang, test.want, got)
		}
	}
	// The source of an edited program is not known.
	rec.Edited = []string{"k8s.io/apiserver/pkg/endpoints/filters/traces.go"}
	if got := page(filters+".notSystemPrivilegedGroup", "en"); !strings.Contains(got, "\ncalled by\n  filterlatency.go:108     filterlatency.trackCompleted.func1\n") {
		t.Errorf("in an edited program: expected the caller below \"called by\" in\n%s", got)
	}
}

func TestMerge(t *testing.T) {
	second := recording()
	second.Scenario = "sell"
	calls := second.Requests[0].Calls
	calls[2].Function, calls[3].Function = "example.org/shop.pack", "example.org/shop.pack"
	calls[1].Attributes["item"] = "plum"
	activities, err := Look("example.org/shop.Take", []*trace.Recording{recording(), second})
	if err != nil {
		t.Fatal(err)
	}
	const file = "example.org/shop/shop.go"
	want := Overview{Requests: 2, Scenarios: []string{"buy", "sell"}, Activity: Activity{
		Calls: 6, Ns: 1100, SelfNs: 600,
		Callers: []Neighbour{{Function: "example.org/shop.Serve", File: file, Line: 7, Calls: 4}, {Function: "example.org/shop.Take", File: file, Line: 0, Calls: 2}},
		Callees: []Neighbour{{Function: "example.org/shop.count", File: file, Line: 12, Calls: 2}, {Function: "example.org/shop.Take", File: file, Line: 0, Calls: 2}, {Function: "example.org/shop.pack", File: file, Line: 12, Calls: 2}},
		Values:  []Value{{"item", []string{"pear", "apple\x1b[2J", "plum"}}, {"n", []string{"1"}}},
		Errors:  []string{"sold out", "panic in shop.Take (shop.go:14)"},
	}}
	if got := Merge(activities); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nexpected\n%+v", got, want)
	}
	page := &Page{Function: "example.org/shop.Take", Activities: activities, Recordings: 5, Merged: true}
	for lang, text := range map[string]string{
		"":   "\nin 2 requests of 2 of the 5 recorded scenarios\nbuy, sell\n6 calls, 1.1µs, 600ns of it its own\n",
		"zh": "\n5 个已录制的场景中，有 2 个场景的 2 个请求调用了它\nbuy、sell\n6 次调用，1.1µs，其中自身 600ns\n调用者\n",
	} {
		var out bytes.Buffer
		if err := page.Write(&out, WriteOptions{Width: 12, Lang: lang}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), text) {
			t.Errorf("expected %q in\n%s", text, out.String())
		}
	}
}

// TestLeaves checks that the page shows no time for a function that calls nothing.
func TestLeaves(t *testing.T) {
	rec := recording()
	for _, i := range []int{2, 3} {
		rec.Requests[0].Calls[i].Leaf, rec.Requests[0].Calls[i].DurationNs = true, 0
	}
	activities, err := Look("example.org/shop.count", []*trace.Recording{rec})
	if err != nil {
		t.Fatal(err)
	}
	for merged, want := range map[bool]string{
		false: "2 calls, recorded only on entry, because the function calls nothing\ncalled by\n  shop.go:12               shop.Take ×2\n",
		true:  "2 calls, recorded only on entry, because the function calls nothing\n",
	} {
		var out bytes.Buffer
		if err := (&Page{Function: "example.org/shop.count", Activities: activities, Recordings: 1, Merged: merged}).Write(&out, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "0ns") {
			t.Errorf("merged %v: expected %q, and no \"0ns\", in\n%s", merged, want, out.String())
		}
	}
	// The time in functions that call nothing counts as their caller's own time.
	takes, err := Look("example.org/shop.Take", []*trace.Recording{rec})
	if err != nil || takes[0].SelfNs != 300+150+50 {
		t.Errorf("Look for Take = %+v, %v, expected the time of its leaves in SelfNs", takes, err)
	}
}
