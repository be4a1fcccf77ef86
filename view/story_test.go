package view_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestRequestInsideARequest checks that the question of an aggregated server to
// kube-apiserver has a heading of its own, and that no other section has its sentences.
func TestRequestInsideARequest(t *testing.T) {
	rec, err := recordings.Load("v1.37.1", "aggregated-api")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := view.NewTrace(rec, 0, guide.ForReader("en", rec), view.Options{Choice: view.Choice{Most: view.StepsPerRequest(1)}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, s := range doc.Sections {
		for _, sentence := range s.Sentences {
			found[sentence.Text] = s.Title
		}
	}
	const title = "Request of sample-apiserver to kube-apiserver"
	for _, text := range []string{
		"the path means: create subjectaccessreviews of group authorization.k8s.io",
		"the route is /apis/authorization.k8s.io/v1/subjectaccessreviews",
	} {
		if found[text] != title {
			t.Errorf("%q is in the section %q, expected %q", text, found[text], title)
		}
	}
	if in := found["the route is /apis/wardle.example.com/v1alpha1/namespaces/{namespace}/flunders"]; in == title || in == "" {
		t.Errorf("the route of the outer request is in the section %q", in)
	}
}

// TestOneNumbering checks that the sentences of the outline have the numbers of the
// sections with the same sentences in the tree.
func TestOneNumbering(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"get-node", "create-deployment", "aggregated-api"} {
		rec, err := recordings.Load("v1.37.1", scenario)
		if err != nil {
			t.Fatal(err)
		}
		o := view.Options{Choice: view.Choice{Most: view.StepsPerRequest(1)}}
		tree, err := view.NewTrace(rec, 0, guide.ForReader("en", rec), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Outline = true
		outline, err := view.NewTrace(rec, 0, guide.ForReader("en", rec), o)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]int{}
		for _, s := range tree.Sections {
			for _, sentence := range s.Sentences {
				numbers[sentence.Text] = s.Number
			}
		}
		if len(outline.Outline) < 8 {
			t.Errorf("%s: the outline has %d sentences", scenario, len(outline.Outline))
		}
		for _, s := range outline.Outline {
			if numbers[s.Text] != s.Number {
				t.Errorf("%s: %q is %d in the outline and %d in the tree", scenario, s.Text, s.Number, numbers[s.Text])
			}
		}
	}
}
