package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

func TestDiffMarkdownOfReleases(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load("v1.36.3", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	b, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	c := diff.CompareRecordings(a, b, diff.Options{})
	for _, lang := range []string{"en", "zh"} {
		var out strings.Builder
		options := DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: view.Options{Lang: lang}, NameA: "v1.36.3", NameB: "v1.37.1"}, Layout: Layout{Width: 80}}
		if err := writeDiffMarkdown(&out, c, guide.ForReader(lang, a, b), options); err != nil {
			t.Fatal(err)
		}
		golden(t, "diff-get-node."+lang+".md", out.String())
	}
}

// TestDiffMarkdownOfSmallChanges checks that a single change is listed and shown in the
// tree, however small it is.
func TestDiffMarkdownOfSmallChanges(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	b := *a
	b.Requests = slices.Clone(a.Requests)
	calls := slices.Clone(a.Requests[0].Calls)
	calls = slices.Insert(calls, 1, calls[0])
	calls[1].ID, calls[1].Parent = strings.Repeat("e", 16), calls[0].ID
	calls[1].Function, calls[1].Leaf, calls[1].Attributes = "k8s.io/apiserver/pkg/server.ownStep", true, nil
	b.Requests[0].Calls = calls
	var out strings.Builder
	options := DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: view.Options{Lang: "en"}, NameA: "base", NameB: "change"}, Layout: Layout{Width: 80}}
	if err := writeDiffMarkdown(&out, diff.CompareRecordings(a, &b, diff.Options{}), guide.ForReader("en", a, &b), options); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "<summary>1 change, with its place in the source</summary>") || !strings.Contains(got, "`server.ownStep`") || !strings.Contains(got, "\n+   └─ server.ownStep") {
		t.Error("expected the change in the list and in the tree, got:\n" + got)
	}
}

// TestDiffMarkdownOfACheckout checks that the calls of a checkout link to lines of
// its commit. If a line is not committed, or no fetched branch has the commit, the
// text must say so.
func TestDiffMarkdownOfACheckout(t *testing.T) {
	a, b := viewtest.IndentedRequest("p.A\n p.B"), viewtest.IndentedRequest("p.A\n p.B\n p.New\n p.Draft")
	for i, name := range map[int]string{2: "new.go", 3: "draft.go"} {
		b.Calls[i].Process, b.Calls[i].File, b.Calls[i].Line = trace.ProcessAPIServer, "k8s.io/kubernetes/pkg/"+name, 7
	}
	c := diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: "v1.37.1", Requests: []trace.Request{a}},
		&trace.Recording{Scenario: "one", K8sVersion: "v1.37.1+0123456789.dirty.5d41e2aa", Requests: []trace.Request{b}}, diff.Options{})
	const link, draft, unpublished = "](https://github.com/me/kubernetes/blob/0123/pkg/new.go#L7)", "(not committed)", "No branch fetched from GitHub contains the commit of ./k: its lines have no link."
	for _, test := range []struct {
		url           string
		want, without []string
	}{
		{"https://github.com/me/kubernetes/blob/0123/", []string{link, draft}, []string{unpublished, "draft.go#L7"}},
		{"", []string{draft, unpublished}, []string{"https:"}},
	} {
		options := DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "v1.37.1", NameB: "./k", CommittedB: &trace.CommittedTree{URL: test.url, Uncommitted: map[string]bool{"pkg/draft.go": true}}}}
		var out strings.Builder
		if err := writeDiffMarkdown(&out, c, viewtest.EveryStep{}, options); err != nil {
			t.Fatal(err)
		}
		for _, text := range test.want {
			if strings.Count(out.String(), text) != 1 {
				t.Errorf("expected %q once in:\n%s", text, out.String())
			}
		}
		for _, text := range test.without {
			if strings.Contains(out.String(), text) {
				t.Errorf("expected no %q in:\n%s", text, out.String())
			}
		}
	}
}

// TestDiffMarkdownIsEscaped checks that texts of a recording are shown, and that
// they do not become markup.
func TestDiffMarkdownIsEscaped(t *testing.T) {
	const evil = "<img src=x>**b** [l](http://e) `c` @team #1 ~~s~~ | ```"
	a, b := viewtest.IndentedRequest("p.A\n p.B"), viewtest.IndentedRequest("p.A\n p.B\n p.New")
	a.Path, b.Path = "/x?"+evil, "/x?"+evil
	b.Calls[2].Function, b.Calls[2].File = "p."+evil, evil+"\n```\n<script>"
	extra := viewtest.IndentedRequest("p.A")
	extra.TraceID, extra.Path = strings.Repeat("b", 32), "/only?"+evil
	c := diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: "v1.30.4", EtcdVersion: "v3.5.10", Requests: []trace.Request{a}},
		&trace.Recording{Scenario: "one", K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0", Requests: []trace.Request{b, extra}}, diff.Options{})
	var out bytes.Buffer
	if err := writeDiffMarkdown(&out, c, viewtest.EveryStep{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: evil, NameB: "v2"}}); err != nil {
		t.Fatal(err)
	}
	source := out.Bytes()
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	var code strings.Builder
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.Image, *ast.AutoLink:
			t.Errorf("a recorded text became the markup %s in:\n%s", n.Kind(), source)
		case *ast.Link:
			if strings.HasPrefix(string(n.Destination), "http://e") {
				t.Errorf("a recorded text became a link in:\n%s", source)
			}
		case *ast.HTMLBlock:
			if html := string(n.Lines().Value(source)); strings.Contains(html, "<img") || strings.Contains(html, "<script") {
				t.Errorf("a recorded text became the HTML %s", html)
			}
		case *ast.CodeSpan:
			for part := n.FirstChild(); part != nil; part = part.NextSibling() {
				code.Write(part.(*ast.Text).Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	if !strings.Contains(code.String(), evil) {
		t.Errorf("expected %q as code in:\n%s", evil, source)
	}
	if !strings.Contains(string(source), "&#64;team") {
		t.Errorf("expected an escaped mention, &#64;team, in:\n%s", source)
	}
}
