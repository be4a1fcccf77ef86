package render

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// indentedRequest makes a request of a text: a call per line, a blank for each level of depth,
// "package.Function name=value".
func indentedRequest(text string) trace.Request {
	r := trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/x", Status: 200}
	var above []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		call := trace.Call{
			ID: fmt.Sprintf("%016x", len(r.Calls)+1), Function: words[0], File: "example.org/" + strings.SplitN(words[0], ".", 2)[0] + "/f.go",
			Line: 7, Process: "kube-apiserver", StartNs: int64(len(r.Calls)), Goroutine: 1,
		}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "error":
				call.Error = value
				continue
			case "ns":
				call.DurationNs, _ = strconv.ParseInt(value, 10, 64)
				continue
			}
			call.Attributes = map[string]string{name: value}
		}
		above = append(above[:depth], call.ID)
		if depth > 0 {
			call.Parent = above[depth-1]
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}

func comparisonOf(t *testing.T, a, b string, releaseA, releaseB string) *diff.Comparison {
	t.Helper()
	return diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: releaseA, Requests: []trace.Request{indentedRequest(a)}},
		&trace.Recording{Scenario: "two", K8sVersion: releaseB, Requests: []trace.Request{indentedRequest(b)}}, diff.Options{Times: true})
}

// everyStep is a guide to which every function is a key step of one layer.
type everyStep struct{}

func (everyStep) Layer(string) string     { return "layer" }
func (everyStep) Key(string) bool         { return true }
func (everyStep) Minor(string) bool       { return false }
func (everyStep) Constructor(string) bool { return false }
func (everyStep) Group(string) string     { return "" }
func (everyStep) Title(string) string     { return "Layer" }
func (everyStep) Note(string) string      { return "" }
func (everyStep) Values(string) []string  { return nil }

func TestSentences(t *testing.T) {
	tests := []struct{ name, a, b, en, zh string }{
		{"added", "p.A\n p.B", "p.A\n p.B\n p.C", "p.A now calls p.C", "p.A 现在调用 p.C"},
		{"added in a loop", "p.A", "p.A\n p.C\n p.C", "p.A now calls p.C twice", "p.A 现在调用 p.C 2 次"},
		{"removed", "p.A\n p.B", "p.A", "p.A no longer calls p.B", "p.A 不再调用 p.B"},
		{"came between", "p.A\n p.B", "p.A\n p.W\n  p.B", "p.W now stands between p.A and p.B", "p.W 现在位于 p.A 和 p.B 之间"},
		{"went from between", "p.A\n p.W\n  p.B", "p.A\n p.B", "p.W no longer stands between p.A and p.B", "p.W 不再位于 p.A 和 p.B 之间"},
		{"moved", "p.A\n p.P\n  p.M\n   p.N\n p.Q", "p.A\n p.P\n p.Q\n  p.M\n   p.N", "p.M is now called by p.Q, no longer by p.P", "p.M 现在由 p.Q 调用，不再由 p.P 调用"},
		{"renamed", "p.A\n p.getIt\n  p.X", "p.A\n p.GetIt\n  p.X", "p.getIt is now p.GetIt", "p.getIt 现在是 p.GetIt"},
		{"repeated", "p.A\n p.L", "p.A\n p.L\n p.L", "p.A calls p.L twice, was once", "p.A 调用 p.L 2 次，原来 1 次"},
		{"reordered", "p.A\n p.B\n  p.X\n p.C\n p.D", "p.A\n p.C\n p.D\n p.B\n  p.X", "p.B has another turn in p.A", "p.B 在 p.A 中的次序变了"},
		{"another value", "p.A\n p.B apitrace.storage.type=x", "p.A\n p.B apitrace.storage.type=y", "storage type of p.B is y, was x", "p.B 的 storage type 是 y，原来是 x"},
		{"only its time", "p.A ns=100\n p.B ns=5", "p.A ns=155\n p.B ns=60", "p.B by itself took 60ns, was 5ns", "p.B 本身用了 60ns，原来是 5ns"},
		{"fails", "p.A\n p.B", "p.A\n p.B error=boom", "p.B now fails: boom", "p.B 现在失败：boom"},
		{"fails no more", "p.A\n p.B error=boom", "p.A\n p.B", "p.B no longer fails: boom", "p.B 不再失败：boom"},
		{
			"what is for several plugins is one sentence",
			"p.A\n p.W\n  p.H apitrace.admission.plugin=a", "p.A\n p.W\n  p.H apitrace.admission.plugin=a\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c",
			"p.W now calls p.H (b, c)", "p.W 现在调用 p.H (b, c)",
		},
		{
			"what is called again for the same plugins is told once",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n p.W\n  p.X",
			"p.A\n p.V\n  p.H apitrace.admission.plugin=a\n p.W\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c\n p.W\n  p.X\n  p.H apitrace.admission.plugin=b\n  p.H apitrace.admission.plugin=c",
			"p.W now calls p.H (b, c)", "p.W 现在调用 p.H (b, c)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for lang, want := range map[string]string{"en": test.en, "zh": test.zh} {
				if got := sentences(t, comparisonOf(t, test.a, test.b, "v1", "v2"), lang); got != want {
					t.Errorf("%s: got %q, want %q", lang, got, want)
				}
			}
		})
	}
}

// TestSentencesOfScenarios checks that two scenarios on one release are told apart without
// a before and after.
func TestSentencesOfScenarios(t *testing.T) {
	c := comparisonOf(t, "p.A\n p.B\n p.L", "p.A\n p.C\n p.L\n p.L", "v1", "v1")
	want := "in 50%A p.A calls p.B; in two p.A calls p.C; p.A calls p.L once in 50%A, twice in two"
	if got := sentences(t, c, "en"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func sentences(t *testing.T, c *diff.Comparison, lang string) string {
	t.Helper()
	options := DiffOptions{Lang: lang, NameA: "50%A", NameB: "two"}
	differences := NewDifferences(c.Requests[0].Diff, everyStep{})
	changed, _ := differences.summarize(everyStep{}, options.words(c))
	if len(changed) != 1 {
		t.Fatalf("layers that changed: %+v", changed)
	}
	return strings.Join(changed[0].Sentences, "; ")
}

// TestWriteDiff draws each kind of change once, in a tree and next to each other.
func TestWriteDiff(t *testing.T) {
	a := "p.A\n p.Gone\n p.getIt\n  p.X\n p.L\n p.V apitrace.storage.type=x"
	b := "p.A\n p.GetIt\n  p.X\n p.L\n p.L\n p.V apitrace.storage.type=y\n p.New"
	c := comparisonOf(t, a, b, "v1", "v2")
	options := DiffOptions{Options: Options{Width: 60}, NameA: "v1", NameB: "v2"}
	var out strings.Builder
	if err := WriteDiff(&out, c, everyStep{}, options); err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(out.String(), "\n\np.A")
	want := ` ⋯1                                                f.go:7
├─ - p.Gone                                           f.go:7
├─ ~ p.GetIt ⋯1                                       f.go:7
│     was p.getIt                                     f.go:7
├─ # p.L                                              f.go:7
│     ×1 → ×2                                         f.go:7
├─ = p.V                                              f.go:7
│     storage: x → y                                  f.go:7
└─ + p.New                                            f.go:7`
	if diff := cmp.Diff(want, tree[:min(len(tree), len(want))]); diff != "" {
		t.Errorf("tree, -want +got:\n%s", diff)
	}
	out.Reset()
	options.SideBySide = true
	if err := WriteDiff(&out, c, everyStep{}, options); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{" p.Gone                      -", " p.getIt ⋯1                  ~  p.GetIt ⋯1", "                             +  p.New"} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("next to each other there is no line %q:\n%s", line, out.String())
		}
	}
}

func TestCompareURL(t *testing.T) {
	a, b := &trace.Recording{K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10"}, &trace.Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0"}
	tests := []struct {
		call trace.Call
		want string
	}{
		{
			trace.Call{Process: "kube-apiserver", File: "k8s.io/apiserver/pkg/server/config.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-207875ac", // sha256sum of staging/src/k8s.io/apiserver/pkg/server/config.go
		},
		{trace.Call{Process: "etcd", File: "go.etcd.io/etcd/server/v3/etcdserver/server.go"}, "https://github.com/etcd-io/etcd/compare/v3.5.10...v3.7.0#diff-"},
		{ // Kubernetes' copy of etcd's client, sha256sum of vendor/go.etcd.io/etcd/client/v3/kv.go
			trace.Call{Process: "kube-apiserver", File: "go.etcd.io/etcd/client/v3/kv.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-6ba36287",
		},
		{ // staging/src/k8s.io/api/core/v1/types.go
			trace.Call{Process: "kube-apiserver", File: "k8s.io/api/core/v1/types.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-5ffbebb4",
		},
		{ // vendor/github.com/emicklei/go-restful/v3/container.go
			trace.Call{Process: "kube-apiserver", File: "github.com/emicklei/go-restful/v3/container.go"},
			"https://github.com/kubernetes/kubernetes/compare/v1.30.4...v1.37.1#diff-353bceb7",
		},
		{trace.Call{Process: "etcd", File: "google.golang.org/grpc/server.go"}, ""}, // of which etcd's repository has no copy
		{trace.Call{Process: "kube-apiserver", File: ""}, ""},
	}
	for _, test := range tests {
		if got := CompareURL(a, b, &test.call); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("of %s: got %q, want %q", test.call.File, got, test.want)
		}
	}
	if got := CompareURL(a, a, &tests[0].call); got != "" {
		t.Errorf("of one release: got %q", got)
	}
}
