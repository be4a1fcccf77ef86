package viewtest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// IndentedRequest makes a request from a text. Each line is a call: a blank for each
// level, the function as "package.Function", then further words. These words are
// "error=text", "leaf", "ns=duration", "go" for a new goroutine, "in=process", and at
// most one attribute as "name=value".
func IndentedRequest(text string) trace.Request {
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
			case "leaf":
				call.Leaf = true
				continue
			case "go":
				call.NewGoroutine = true
				continue
			case "in":
				call.Process = value
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

// ComparisonOf compares two requests, each the only one of its recording. a and b are
// texts for IndentedRequest.
func ComparisonOf(a, b string, releaseA, releaseB string) *diff.Comparison {
	return diff.CompareRecordings(
		&trace.Recording{Scenario: "one", K8sVersion: releaseA, Requests: []trace.Request{IndentedRequest(a)}},
		&trace.Recording{Scenario: "two", K8sVersion: releaseB, Requests: []trace.Request{IndentedRequest(b)}}, diff.Options{Times: true})
}

// EveryStep is a view.Guide with a single layer. Every function is a key step.
type EveryStep struct{}

func (EveryStep) Layer(string) string     { return "layer" }
func (EveryStep) Key(string) bool         { return true }
func (EveryStep) Minor(string) bool       { return false }
func (EveryStep) Constructor(string) bool { return false }
func (EveryStep) Group(string) string     { return "" }
func (EveryStep) Title(string) string     { return "Layer" }
func (EveryStep) Note(string) string      { return "" }
func (EveryStep) Values(string) []string  { return nil }

// CodeOf makes the source of a release from a request: each function has the calls
// that it made in the request. also has further calls as "caller callee". A callee
// with a final "!" is a leaf without a span.
func CodeOf(release string, r trace.Request, also ...string) *recordings.Code {
	texts := map[string]*recordings.Source{}
	text := func(name string) *recordings.Source {
		if texts[name] == nil {
			texts[name] = &recordings.Source{Name: name}
		}
		return texts[name]
	}
	tree := trace.TreeOfValid(&r)
	for i := range tree.Len() {
		f := text(tree.Call(i).Function)
		for child := range tree.Children(i) {
			f.Calls = append(f.Calls, recordings.SourceCall{Name: tree.Call(child).Function})
		}
	}
	for _, call := range also {
		caller, callee, _ := strings.Cut(call, " ")
		callee, leaf := strings.CutSuffix(callee, "!")
		f := text(caller)
		f.Calls = append(f.Calls, recordings.SourceCall{Name: callee})
		if leaf {
			text(callee).Spanless = recordings.SpanlessLeaf
		}
		text(callee)
	}
	program := &recordings.Program{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		program.Functions = append(program.Functions, *texts[name])
	}
	return recordings.NewCode(release, map[string]*recordings.Program{"kube-apiserver": program})
}
