package render

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// zeroDuration matches a duration of 0 with any number of decimals and any unit.
var zeroDuration = regexp.MustCompile(`\b0(\.0+)? ?[nµu]?m?s\b`)

// TestLeavesHaveNoDuration checks that no form of output has a duration of 0
// for leaves. Only the entry of such a call was recorded.
func TestLeavesHaveNoDuration(t *testing.T) {
	rec := &trace.Recording{Scenario: "one", K8sVersion: "v1", Requests: []trace.Request{
		viewtest.IndentedRequest("p.Serve ns=900\n p.Leaf leaf\n p.Leaf leaf\n p.Work ns=300\n  p.Leaf leaf\n  p.Step ns=100\n p.Last leaf apitrace.request.verb=get"),
	}}
	rec.Requests[0].Calls[6].Process = trace.ProcessEtcd // so that it begins a section
	other := &trace.Recording{Scenario: "one", K8sVersion: "v2", Requests: []trace.Request{
		viewtest.IndentedRequest("p.Serve ns=900\n p.Leaf ns=100\n  p.New leaf\n p.Leaf leaf\n p.Work leaf"),
	}}
	for name, draw := range map[string]func(*strings.Builder) error{
		"tree": func(out *strings.Builder) error { return writeTree(out, rec, viewtest.EveryStep{}, Options{}) },
		"full": func(out *strings.Builder) error {
			return writeTree(out, rec, viewtest.EveryStep{}, Options{Options: view.Options{Choice: view.Choice{Full: true}, ASCII: true}})
		},
		"outline": func(out *strings.Builder) error { return writeOutline(out, rec, viewtest.EveryStep{}, Options{}) },
		"map": func(out *strings.Builder) error {
			m, err := view.NewRequestMap(rec, 0, viewtest.EveryStep{}, "en")
			if err != nil {
				return err
			}
			return json.NewEncoder(out).Encode(m)
		},
		"diff": func(out *strings.Builder) error {
			return writeDiff(out, diff.CompareRecordings(rec, other, diff.Options{Times: true}), viewtest.EveryStep{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: view.Options{Choice: view.Choice{Full: true}}, NameA: "v1", NameB: "v2", Times: true}})
		},
		"diff as Markdown": func(out *strings.Builder) error {
			return writeDiffMarkdown(out, diff.CompareRecordings(rec, other, diff.Options{Times: true}), viewtest.EveryStep{}, DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "v1", NameB: "v2", Times: true}})
		},
	} {
		var out strings.Builder
		if err := draw(&out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if said := zeroDuration.FindString(out.String()); said != "" || !strings.Contains(out.String(), "Leaf") && name != "outline" && name != "map" {
			t.Errorf("%s: got the duration %q, expected none, and steps with the name Leaf:\n%s", name, said, out.String())
		}
	}
	doc, err := view.NewTrace(rec, 0, viewtest.EveryStep{}, view.Options{Choice: view.Choice{Full: true}})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]string{}
	var walk func(view.TraceStep)
	walk = func(s view.TraceStep) {
		times[s.Function] = s.Time
		for _, child := range s.Children {
			walk(child)
		}
	}
	for _, s := range doc.Sections {
		walk(s.Root)
	}
	if times["p.Leaf"] != "" || times["p.Last"] != "" || times["p.Work"] == "" {
		t.Errorf("the times of the steps are %q, expected one for p.Work, but none for p.Leaf and p.Last", times)
	}
}
