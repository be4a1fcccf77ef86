package code

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// treeOf writes a tree with the declarations that a test needs; upstream's have more.
func treeOf(t *testing.T, files map[string]string) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &source.Tree{Program: trace.ProcessAPIServer, Version: "v1.37.1", Dir: dir}
}

// TestTypesBehindGetter asks the recordings which storages were behind rest.Getter.
func TestTypesBehindGetter(t *testing.T) {
	const registry = "k8s.io/apiserver/pkg/registry/generic/registry"
	tree := treeOf(t, map[string]string{
		"k8s.io/apiserver/pkg/registry/rest/rest.go":                  "package rest\n\ntype Getter interface {\n\tGet()\n}\n",
		registry + "/store.go":                                        "package registry\n\ntype Store struct{}\n\nfunc (e *Store) Get() {}\nfunc (e *Store) Never() {}\n",
		"k8s.io/kubernetes/pkg/registry/core/node/storage/storage.go": "package storage\n\nimport genericregistry \"" + registry + "\"\n\ntype REST struct {\n\t*genericregistry.Store\n}\n",
	})
	release, err := recordings.Resolve(recordings.Latest)
	if err != nil {
		t.Fatal(err)
	}
	var of []*trace.Recording
	for _, scenario := range []string{"get-node", "list-nodes", "get-deployment"} {
		rec, err := recordings.Load(release, scenario)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, rec)
	}
	name, err := ResolveType("rest.Getter", release)
	if err != nil {
		t.Fatal(err)
	}
	getter, err := typeIn(tree, release, name, of)
	if err != nil {
		t.Fatal(err)
	}
	const get, caller = "k8s.io/apiserver/pkg/registry/rest.Getter.Get", "k8s.io/apiserver/pkg/endpoints/handlers.GetResource.func1"
	node := Behind{Type: "*k8s.io/kubernetes/pkg/registry/core/node/storage.REST", Through: []string{"*" + registry + ".Store"}, Resources: []string{"nodes"},
		Methods: []string{get}, Callers: []string{caller}, Scenarios: []string{"get-node"}}
	// The tree does not say what the storage of Deployments embeds.
	other := Behind{Type: "*" + registry + ".Store", Resources: []string{"deployments"}, Methods: []string{get}, Callers: []string{caller}, Scenarios: []string{"get-deployment"}}
	if diff := cmp.Diff([]Behind{other, node}, getter.Behind); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	store, err := typeIn(tree, release, registry+".Store", of)
	if err != nil {
		t.Fatal(err)
	}
	if store.Ran[registry+".(*Store).Get"] != 2 || store.Ran[registry+".(*Store).Never"] != -1 || len(store.Behind) == 0 {
		t.Errorf("methods of the store: %v, behind it %v", store.Ran, store.Behind)
	}
}

func TestResolveType(t *testing.T) {
	for query, want := range map[string]string{
		"genericregistry.Store": "k8s.io/apiserver/pkg/registry/generic/registry.Store",
		"DryRunnableStorage":    "k8s.io/apiserver/pkg/registry/generic/registry.DryRunnableStorage",
		"master.Master":         "k8s.io/kubernetes/pkg/controlplane.Instance", // its name of v1.19
		"rest.Exporter":         "v1.21.14",                                    // the release without it
		"rest.Gettr":            "no function or type \"rest.Gettr\" in Kubernetes v1.37.1 and its etcd: did you mean one of these?\n  k8s.io/apiserver/pkg/registry/rest.Getter",
		"Options":               "names 6 types; give more of the name:\n  k8s.io/",
	} {
		got, err := ResolveType(query, "v1.37.1")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, expected %s", query, got, want)
		}
	}
}

// TestAlias looks a type up under the name of an alias.
func TestAlias(t *testing.T) {
	const pkg = "k8s.io/apimachinery/pkg/util/managedfields"
	tree := treeOf(t, map[string]string{
		pkg + "/fieldmanager.go":          "package managedfields\n\nimport \"" + pkg + "/internal\"\n\ntype FieldManager = internal.FieldManager\n",
		pkg + "/internal/fieldmanager.go": "package internal\n\ntype FieldManager struct{}\n\nfunc (f *FieldManager) Update() {}\n",
	})
	got, err := typeIn(tree, "v1.37.1", pkg+".FieldManager", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != pkg+"/internal.FieldManager" || got.Alias != pkg+".FieldManager" || got.Place.File != pkg+"/internal/fieldmanager.go" || len(got.Methods) != 1 {
		t.Errorf("the type is %s, its alias %q, in %s, with methods %v", got.Name, got.Alias, got.Place.File, got.Methods)
	}
	for _, user := range []string{pkg + ".NewDefaultFieldManager", pkg + "/internal.NewFieldManager"} { // one names the alias, one the type
		if !slices.Contains(got.Users, user) {
			t.Errorf("%s is missing among the users %q", user, got.Users)
		}
	}
	if same, err := typeIn(tree, "v1.37.1", pkg+"/internal.FieldManager", nil); err != nil || same.Alias != "" {
		t.Errorf("under its own name: %+v, %v", same, err)
	}
}
