package diff

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// treeOf makes the tree of a text. Each line is a call, indented by a blank
// for each level: "package.Function name=value file=package/file.go".
// Functions with names that begin with "etcd" run in etcd.
func treeOf(t testing.TB, text string) *trace.Tree {
	t.Helper()
	r := &trace.Request{TraceID: strings.Repeat("a", 32), Method: "GET", Path: "/", Status: 200}
	var above []string
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		name := strings.TrimLeft(line, " ")
		depth := len(line) - len(name)
		words := strings.Split(name, " ")
		call := trace.Call{
			ID: fmt.Sprintf("%016x", len(r.Calls)+1), Function: words[0], Line: 1, Process: "kube-apiserver",
			File: strings.SplitN(words[0], ".", 2)[0] + "/file.go", Goroutine: 1, StartNs: int64(len(r.Calls)),
		}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "file":
				call.File = value
			case "line":
				call.CallerLine, _ = strconv.Atoi(value)
			case "go":
				call.NewGoroutine = true
			case "goroutine":
				call.Goroutine, _ = strconv.ParseUint(value, 10, 64)
			case "process":
				call.Process = value
			case "error":
				call.Error = value
			case "leaf":
				call.Leaf = true
			case "ns":
				call.DurationNs, _ = strconv.ParseInt(value, 10, 64)
			default:
				if call.Attributes == nil {
					call.Attributes = map[string]string{}
				}
				call.Attributes[name] = value
			}
		}
		if strings.HasPrefix(words[0], "etcd") {
			call.Process = "etcd"
		}
		above = append(above[:depth], call.ID)
		if depth > 0 {
			call.Parent = above[depth-1]
		}
		r.Calls = append(r.Calls, call)
	}
	tree, err := trace.NewTree(r)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return tree
}

// textOf writes calls as a tree, with the fields that a script must reproduce.
func textOf(calls []trace.Call) string {
	var b strings.Builder
	depth := map[string]int{"": -1}
	for _, call := range calls {
		depth[call.ID] = depth[call.Parent] + 1
		fmt.Fprintf(&b, "%s%s file=%s %v %v\n", strings.Repeat(" ", depth[call.ID]), call.Function, call.File, call.Attributes, call.NewGoroutine)
	}
	return b.String()
}

// changesText writes the changes of a diff, one per line.
func changesText(d *Diff) string {
	var lines []string
	name := func(tree *trace.Tree, i int) string {
		if i == None {
			return "-"
		}
		return tree.Call(i).ShortName()
	}
	for _, c := range d.Changes {
		line := fmt.Sprintf("%s %s", c.Kind, name(d.A, c.A))
		if c.A == None {
			line = fmt.Sprintf("%s %s", c.Kind, name(d.B, c.B))
		} else if c.Kind == Renamed {
			line += " " + name(d.B, c.B)
		}
		if c.Kind == Moved {
			line += fmt.Sprintf(" from %s to %s", name(d.A, d.A.Parent(c.A)), name(d.B, d.B.Parent(c.B)))
		}
		if c.Times > 1 {
			line += fmt.Sprintf(" x%d", c.Times)
		}
		if c.Calls > c.Times {
			line += fmt.Sprintf(" (%d calls)", c.Calls)
		}
		if c.Wraps {
			line += " around"
		}
		if c.Kind == Repeated {
			line += fmt.Sprintf(" %d -> %d", c.CountA, c.CountB)
		}
		if c.Kind == Timed {
			line += fmt.Sprintf(" %d -> %d", c.OwnNsA, c.OwnNsB)
		}
		for _, v := range c.Values {
			line += fmt.Sprintf(" %s: %s -> %s", v.Name, v.A, v.B)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
