package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// request makes a request from calls written as "id parent startNs". Ids and
// parents are single hexadecimal digits. The parent "-" means none.
func request(calls ...string) *Request {
	r := &Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/"}
	for _, text := range calls {
		var id, parent string
		var start int64
		if _, err := fmt.Sscan(text, &id, &parent, &start); err != nil {
			panic(err)
		}
		call := Call{ID: strings.Repeat("0", 15) + id, Function: "p.f" + id, Process: "kube-apiserver", StartNs: start}
		if parent != "-" {
			call.Parent = strings.Repeat("0", 15) + parent
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}

// order returns the last digits of the calls' ids.
func order(r *Request) string {
	var ids []string
	for _, c := range r.Calls {
		ids = append(ids, c.ID[15:])
	}
	return strings.Join(ids, " ")
}

func TestSort(t *testing.T) {
	for name, test := range map[string]struct {
		calls []string
		want  string
	}{
		"children first":          {[]string{"3 2 2", "2 1 1", "1 - 0"}, "1 2 3"},
		"siblings by time":        {[]string{"1 - 0", "4 1 9", "2 1 1", "3 1 5"}, "1 2 3 4"},
		"depth before breadth":    {[]string{"1 - 0", "2 1 1", "4 1 5", "3 2 9"}, "1 2 3 4"},
		"same time, given order":  {[]string{"1 - 0", "9 1 5", "4 1 5", "7 1 5", "2 1 5"}, "1 9 4 7 2"},
		"child began before root": {[]string{"1 - 0", "2 1 -5", "3 1 0"}, "1 2 3"},
	} {
		r := request(test.calls...)
		if err := r.Sort(); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := r.Validate(); err != nil {
			t.Errorf("%s: Validate after Sort: %v", name, err)
		}
		if got := order(r); got != test.want {
			t.Errorf("%s: Sort gives the order %q, expected %q", name, got, test.want)
		}
	}
}

// TestSortKeepsTheGivenOrder sorts many calls with equal times, because an unstable sort
// would keep the order of a few.
func TestSortKeepsTheGivenOrder(t *testing.T) {
	r := request("1 - 0")
	for i := range 500 {
		r.Calls = append(r.Calls, Call{ID: fmt.Sprintf("%016x", 1000-i), Parent: r.Calls[0].ID, Function: "p.f", Process: "etcd", StartNs: int64(i % 7)})
	}
	var want []Call
	for start := range 7 {
		for _, c := range r.Calls[1:] {
			if c.StartNs == int64(start) {
				want = append(want, c)
			}
		}
	}
	if err := r.Sort(); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got := r.Calls[i+1].ID; got != want[i].ID {
			t.Fatalf("call %d is %s, expected %s", i+1, got, want[i].ID)
		}
	}
}

// TestSortPutsGoroutinesWhereTheyWereStarted sorts calls on started goroutines. The
// scheduler decides when a goroutine runs, but not on which line it was started.
func TestSortPutsGoroutinesWhereTheyWereStarted(t *testing.T) {
	started := func(line, start int) Call { return Call{CallerLine: line, StartNs: int64(start), NewGoroutine: true} }
	called := func(line, start int) Call { return Call{CallerLine: line, StartNs: int64(start)} }
	handed := started(10, 90)
	handed.Attributes = map[string]string{AttrHandoff: HandoffWatch}
	for name, test := range map[string]struct {
		calls []Call
		want  string // their lines after Sort
	}{
		"at once":         {[]Call{called(5, 1), started(10, 2), called(20, 3)}, "5 10 20"},
		"late":            {[]Call{called(5, 1), called(20, 2), called(30, 3), started(10, 4)}, "5 10 20 30"},
		"two, one late":   {[]Call{started(20, 1), started(10, 2), called(30, 3)}, "10 20 30"},
		"in a loop":       {[]Call{called(20, 1), called(5, 2), started(10, 3), called(20, 4)}, "20 5 10 20"},
		"same line":       {[]Call{started(10, 1), started(10, 2)}, "10 10"},
		"unknown line":    {[]Call{called(5, 1), started(0, 2)}, "5 0"},
		"from a queue":    {[]Call{called(20, 1), handed}, "20 10"},
		"not a goroutine": {[]Call{called(20, 1), called(10, 2)}, "20 10"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request("1 - 0")
			for i, c := range test.calls {
				c.ID, c.Parent, c.Function, c.Process = fmt.Sprintf("%016x", i+2), r.Calls[0].ID, "p.f", "etcd"
				r.Calls = append(r.Calls, c)
			}
			for range 2 { // sorting a sorted request changes nothing
				if err := r.Sort(); err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, c := range r.Calls[1:] {
					lines = append(lines, fmt.Sprint(c.CallerLine))
				}
				if got := strings.Join(lines, " "); got != test.want {
					t.Errorf("got the lines %s, expected %s", got, test.want)
				}
			}
		})
	}
}

func TestBrokenTrees(t *testing.T) {
	for name, test := range map[string]struct {
		calls []string
		want  string // parts of the message, separated by "|"
	}{
		"no calls":    {nil, "no calls"},
		"orphan":      {[]string{"1 - 0", "2 7 1"}, `"0000000000000002" (p.f2)|orphan|"0000000000000007"`},
		"two roots":   {[]string{"1 - 0", "2 - 1"}, `(p.f1)|(p.f2)|no parent`},
		"same id":     {[]string{"1 - 0", "2 1 1", "2 1 2"}, `"0000000000000002"|same id`},
		"no root":     {[]string{"1 2 0", "2 1 1"}, `own ancestor`},
		"own parent":  {[]string{"1 - 0", "2 2 1"}, `(p.f2)|own ancestor`},
		"cycle":       {[]string{"1 - 0", "4 3 1", "2 3 2", "3 2 3"}, `own ancestor`},
		"cycle below": {[]string{"1 - 0", "5 4 1", "4 3 1", "3 4 3"}, `own ancestor`},
	} {
		r := request(test.calls...)
		for method, err := range map[string]error{"Validate": r.Validate(), "Sort": r.Sort()} {
			if err == nil {
				t.Errorf("%s: %s returned nil, expected an error", name, method)
				continue
			}
			for _, part := range strings.Split(test.want, "|") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %s returned %q, expected %q in it", name, method, err, part)
				}
			}
		}
		if got := order(r); got != order(request(test.calls...)) {
			t.Errorf("%s: Sort failed and changed the order to %q, expected the old order", name, got)
		}
	}
	if err := request("1 - 0", "2 1 1", "3 1 2", "4 2 3").Validate(); err == nil || !strings.Contains(err.Error(), "is where") {
		t.Errorf("calls out of order: Validate returned %v, expected \"is where\" in it", err)
	}
}

func TestValidateFields(t *testing.T) {
	for want, spoil := range map[string]func(*Request){
		"trace id":          func(r *Request) { r.TraceID = strings.Repeat("0", 32) },
		"start ":            func(r *Request) { r.Start = r.Start.AddDate(9000, 0, 0) },
		"method":            func(r *Request) { r.Method = "" },
		"path":              func(r *Request) { r.Path = "/\x1b]8;;" },
		`id "xyz"`:          func(r *Request) { r.Calls[1].ID = "xyz" },
		"function":          func(r *Request) { r.Calls[1].Function = "" },
		"process":           func(r *Request) { r.Calls[1].Process = "a\nb" },
		"file":              func(r *Request) { r.Calls[1].File = "\x07" },
		"took -1":           func(r *Request) { r.Calls[1].DurationNs = -1 },
		"starts at 5":       func(r *Request) { r.Calls[0].StartNs = 5; r.Calls[1].StartNs = 7 },
		"apitrace.order":    func(r *Request) { r.Calls[1].Attributes = map[string]string{"apitrace.order": "1"} },
		"without a name":    func(r *Request) { r.Calls[1].Attributes = map[string]string{"": "x"} },
		"url.path":          func(r *Request) { r.Calls[0].Attributes = map[string]string{"url.path": "/"} },
		"expected at least": func(r *Request) { r.Calls = nil },
	} {
		r := request("1 - 0", "2 1 1")
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate returned %v, expected %q in it", err, want)
		}
	}
	r := request("1 - 0", "2 1 1")
	r.Calls[1].Attributes = map[string]string{"url.path": "/"} // reserved only on the first call
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	twice := &Recording{Requests: []Request{*r, *r}}
	if err := twice.Validate(); err == nil || !strings.Contains(err.Error(), "same trace id") {
		t.Errorf("two requests of one trace: Validate returned %v, expected \"same trace id\" in it", err)
	}
}

func TestTree(t *testing.T) {
	tree, err := NewTree(request("1 - 0", "2 1 1", "3 2 2", "4 2 3", "5 1 4"))
	if err != nil {
		t.Fatal(err)
	}
	wantParent := []int{-1, 0, 1, 1, 0}
	wantDepth := []int{0, 1, 2, 2, 1}
	wantEnd := []int{5, 4, 3, 4, 5}
	wantChildren := [][]int{{1, 4}, {2, 3}, nil, nil, nil}
	for i := range tree.Len() {
		if tree.Parent(i) != wantParent[i] || tree.Depth(i) != wantDepth[i] || tree.End(i) != wantEnd[i] {
			t.Errorf("call %d: got parent %d, depth %d, end %d, expected %d, %d, %d", i,
				tree.Parent(i), tree.Depth(i), tree.End(i), wantParent[i], wantDepth[i], wantEnd[i])
		}
		if got := slices.Collect(tree.Children(i)); !slices.Equal(got, wantChildren[i]) {
			t.Errorf("call %d: got the children %v, expected %v", i, got, wantChildren[i])
		}
	}
	for range tree.Children(0) {
		break // the loop may stop early
	}
}
