package code

import (
	"errors"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// TestResolveOwn looks up names of a server of the user's own. Its generated code has
// functions with the names of types.
func TestResolveOwn(t *testing.T) {
	tree := treeOf(t, map[string]string{
		"example.com/mine/apis/v1/types.go": "package v1\n\ntype Rose struct{}\n\ntype Thorn struct{}\n",
		"example.com/mine/apply/v1/rose.go": "package v1\n\nfunc Rose() {}\n\nfunc Prune() {}\n",
	})
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	c := &Base{Guide: guide, Version: "v1.37.1", Own: serverconfig.Own{Server: "./mine"}, trees: map[string]*source.Tree{ownTree: tree}}
	const apis, apply = "example.com/mine/apis/v1.", "example.com/mine/apply/v1."
	for _, test := range []struct {
		query, want string
		kind        lineage.Kind
	}{
		{"Thorn", apis + "Thorn", lineage.Type},
		{"Prune", apply + "Prune", lineage.Function},
		{apis + "Rose", apis + "Rose", lineage.Type},
		{apply + "Rose", apply + "Rose", lineage.Function},
	} {
		if name, kind, err := c.ResolveAny(t.Context(), test.query); name != test.want || kind != test.kind || err != nil {
			t.Errorf("%s: %s, %v, %v, expected %s", test.query, name, kind, err, test.want)
		}
	}
	_, _, err = c.ResolveAny(t.Context(), "v1.Rose")
	if found := new(trace.AmbiguousFunctionError); !errors.As(err, &found) || !found.Functions || !found.Types || !slices.Equal(found.Candidates, []string{apis + "Rose", apply + "Rose"}) {
		t.Errorf("v1.Rose: %v, expected the type and the function", err)
	}
	unknown := new(trace.UnknownFunctionError)
	if _, _, err := c.ResolveAny(t.Context(), "Tulip"); !errors.As(err, &unknown) || !unknown.Types {
		t.Errorf("Tulip: %v, expected that no function and no type has this name", err)
	}
}
