package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestComparisonSaysWhatTheTerminalSays looks for the texts of a view.Comparison in
// the output of WriteDiff. It also checks that each sentence leads to a step of the
// tree.
func TestComparisonSaysWhatTheTerminalSays(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ scenarioA, releaseA, scenarioB, releaseB string }{
		{"get-node", "1.30", "get-node", "1.37"},
		{"create-deployment", "1.36", "create-deployment", "1.37"},
		{"get-node", "1.37", "get-node-cached", "1.37"},
		{"get-forbidden", "1.26", "get-forbidden", "1.37"},
	} {
		for _, lang := range []string{"en", "zh"} {
			name := fmt.Sprint(test, lang)
			a, err := recordings.Load(test.releaseA, test.scenarioA)
			if err != nil {
				t.Fatal(err)
			}
			b, err := recordings.Load(test.releaseB, test.scenarioB)
			if err != nil {
				t.Fatal(err)
			}
			c := diff.CompareRecordings(a, b, diff.Options{})
			o := DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: view.Options{Lang: lang}, NameA: a.K8sVersion, NameB: b.K8sVersion}, Layout: Layout{Width: 4000}}
			if test.scenarioA != test.scenarioB {
				o.NameA, o.NameB = test.scenarioA, test.scenarioB
			}
			readerGuide := guide.ForReader(lang, a, b)
			var out strings.Builder
			if err := writeDiff(&out, c, readerGuide, o); err != nil {
				t.Fatal(err)
			}
			drawn := strings.Join(strings.Fields(out.String()), " ")
			has := func(texts ...string) {
				for _, text := range texts {
					if text = strings.Join(strings.Fields(text), " "); !strings.Contains(drawn, text) {
						t.Errorf("%s: the output of WriteDiff lacks %q", name, text)
					}
				}
			}
			doc, err := comparisonIn(c, readerGuide, o)
			if err != nil {
				t.Fatal(err)
			}
			has(doc.Facts)
			steps, changed := map[int]*view.ComparedStep{}, 0
			var step func(s *view.ComparedStep)
			step = func(s *view.ComparedStep) {
				if s.Section == 0 || steps[s.Call] == nil {
					steps[s.Call] = s
				}
				if s.Mark != "" && s.Section == 0 {
					changed++
					has(s.Mark + " ")
				}
				has(s.Name)
				if s.Section == 0 {
					has(s.Details...)
				}
				if (s.Change == "added") != (s.A == nil) || (s.Change == "removed") != (s.B == nil) {
					t.Errorf("%s: the change of %s is %q, but its call is %v on side A and %v on side B", name, s.Name, s.Change, s.A, s.B)
				}
				for i := range s.Children {
					step(&s.Children[i])
				}
			}
			for i := range doc.Sections {
				has(doc.Sections[i].Title)
				step(&doc.Sections[i].Root)
				if was := doc.Sections[i].Instead; was != nil {
					step(was)
				}
			}
			if changed < 3 {
				t.Errorf("%s: %d steps have a mark, expected 3 or more", name, changed)
			}
			sentences := 0
			for _, l := range doc.Layers {
				for _, s := range l.Sentences {
					sentences++
					has(s.Text)
					if steps[s.Step] == nil {
						t.Errorf("%s: %q leads to the step %d, expected a step of the tree", name, s.Text, s.Step)
					}
				}
			}
			if sentences < 2 {
				t.Errorf("%s: got %d sentences, expected 2 or more", name, sentences)
			}
		}
	}
}

// TestSentencesLeadToTheirCalls checks the calls that some sentences lead to.
func TestSentencesLeadToTheirCalls(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := recordings.Load("1.30", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	b, err := recordings.Load("1.37", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	c := diff.CompareRecordings(a, b, diff.Options{})
	doc, err := comparisonIn(c, guide.ForReader("en", a, b), DiffOptions{ComparisonOptions: view.ComparisonOptions{NameA: "v1.30.4", NameB: "v1.37.1"}})
	if err != nil {
		t.Fatal(err)
	}
	merged := view.NewDifferences(c.Requests[0].Diff, guide.ForReader("en")).Merged.Tree
	for beginning, function := range map[string]string{
		"etcd3.(*corruptObjectDeleter).Get now stands between": "etcd3.(*corruptObjectDeleter).Get",
		"storage type of registry.(*Store).Get":                "registry.(*Store).Get",
		"kubernetes.Client.Get stands between":                 "kubernetes.Client.Get",
	} {
		found := false
		for _, l := range doc.Layers {
			for _, s := range l.Sentences {
				if strings.HasPrefix(s.Text, beginning) {
					found = true
					if is := merged.Call(s.Call).ShortName(); is != function {
						t.Errorf("%q leads to %s, expected the function in the table", s.Text, is)
					}
				}
			}
		}
		if !found {
			t.Errorf("got no sentence that begins with %q, expected one", beginning)
		}
	}
}

// comparisonIn returns the comparison of the first pair of requests.
func comparisonIn(c *diff.Comparison, guide view.Guide, options DiffOptions) (*view.Comparison, error) {
	comparer, err := view.NewComparer(c, guide, options.ComparisonOptions)
	if err != nil {
		return nil, err
	}
	return comparer.Pair(0).Comparison(options.Choice), nil
}
