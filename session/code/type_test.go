package code

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/explain"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// treeOf writes a tree with the declarations that a test needs. Upstream's source has more.
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

// TestTypesBehindGetter checks which storages were behind rest.Getter in recordings.
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
	// The tree does not have the storage of Deployments. The released sources have
	// its embedded types.
	other := Behind{Type: "*k8s.io/kubernetes/pkg/registry/apps/deployment/storage.REST", Through: node.Through, Resources: []string{"deployments"}, Methods: []string{get}, Callers: []string{caller}, Scenarios: []string{"get-deployment"}}
	if diff := cmp.Diff([]Behind{other, node}, getter.Behind); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	store, err := typeIn(tree, release, registry+".Store", of)
	if err != nil {
		t.Fatal(err)
	}
	if store.Ran[registry+".(*Store).Get"] != 2 || store.Ran[registry+".(*Store).Never"] != -1 || len(store.Behind) == 0 {
		t.Errorf("the store has Ran %v and Behind %v, expected 2 for Get, -1 for Never, and a type behind", store.Ran, store.Behind)
	}
}

func TestResolveType(t *testing.T) {
	for query, want := range map[string]string{
		"genericregistry.Store":   "k8s.io/apiserver/pkg/registry/generic/registry.Store",
		"DryRunnableStorage":      "k8s.io/apiserver/pkg/registry/generic/registry.DryRunnableStorage",
		"master.Master":           "k8s.io/kubernetes/pkg/controlplane.Instance", // its name of v1.19
		"rest.Exporter":           "v1.21.14",                                    // the release without it
		"rest.Gettr":              "no function or type \"rest.Gettr\" in Kubernetes v1.37.1 and its etcd: did you mean one of these?\n  k8s.io/apiserver/pkg/registry/rest.Getter",
		"genericregistry.Stor":    "did you mean one of these?\n  k8s.io/apiserver/pkg/registry/generic/registry.Store",
		"metav1.ObjectMet":        "did you mean one of these?\n  k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta",
		"generic.Plugin[H]":       "k8s.io/apiserver/pkg/admission/plugin/policy/generic.Plugin",
		"genericplugin.Plgin[H]":  "no function or type \"genericplugin.Plgin[H]\" in Kubernetes",
		"policygeneric.Plugin[H]": "k8s.io/apiserver/pkg/admission/plugin/policy/generic.Plugin",
		"Options":                 "matches 6 types; use a longer part of the name:\n  k8s.io/",
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

// TestTypesBehindNamedCreater asks for the storages of a custom resource, of the
// sample server, and of subresources. The tree does not have the sample server's source.
func TestTypesBehindNamedCreater(t *testing.T) {
	const (
		registry = "k8s.io/apiserver/pkg/registry/generic/registry"
		custom   = "k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	)
	tree := treeOf(t, map[string]string{
		"k8s.io/apiserver/pkg/registry/rest/rest.go": "package rest\n\ntype NamedCreater interface {\n\tNew()\n\tCreate()\n}\n",
		registry + "/store.go":                       "package registry\n\ntype Store struct{}\n\nfunc (e *Store) New() {}\n",
		custom + "/etcd.go":                          "package customresource\n\nimport genericregistry \"" + registry + "\"\n\ntype REST struct {\n\t*genericregistry.Store\n}\n",
	})
	var of []*trace.Recording
	for _, scenario := range []string{"create-custom-resource", "aggregated-api", "bind-pod"} {
		rec, err := recordings.Load("v1.37.1", scenario)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, rec)
	}
	got, err := typeIn(tree, "v1.37.1", "k8s.io/apiserver/pkg/registry/rest.NamedCreater", of)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, b := range got.Behind {
		said = append(said, strings.Join(append([]string{b.Type, strings.Join(b.Through, ","), strings.Join(b.Resources, ",")}, b.Scenarios...), " "))
	}
	store := "*" + registry + ".Store"
	want := []string{
		"*k8s.io/apiserver/pkg/endpoints/handlers.namedCreaterAdapter  flunders,subjectaccessreviews,widgets aggregated-api create-custom-resource",
		"*" + custom + ".REST " + store + " widgets create-custom-resource",
		"*k8s.io/kubernetes/pkg/registry/authorization/subjectaccessreview.REST  subjectaccessreviews aggregated-api",
		"*k8s.io/kubernetes/pkg/registry/core/pod/storage.BindingREST  pods/binding bind-pod",
		"*k8s.io/sample-apiserver/pkg/registry.REST " + store + " flunders aggregated-api",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestTypeBehindEmbeddedInterface asks for an interface that embeds another one. Some
// types behind the embedded interface lack methods of the outer one.
func TestTypeBehindEmbeddedInterface(t *testing.T) {
	const (
		rest   = "k8s.io/apiserver/pkg/registry/rest"
		review = "k8s.io/kubernetes/pkg/registry/authorization/subjectaccessreview"
	)
	tree := treeOf(t, map[string]string{
		rest + "/rest.go":   "package rest\n\ntype Creater interface {\n\tCreate()\n}\n\ntype CreaterUpdater interface {\n\tCreater\n\tUpdate()\n}\n",
		review + "/rest.go": "package subjectaccessreview\n\ntype REST struct{}\n\nfunc (r *REST) Create() {}\n",
	})
	rec, err := recordings.Load("v1.37.1", "aggregated-api")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"Creater":        {"*" + review + ".REST", "*k8s.io/sample-apiserver/pkg/registry.REST"},
		"CreaterUpdater": {"*k8s.io/sample-apiserver/pkg/registry.REST"},
	} {
		typ, err := typeIn(tree, "v1.37.1", rest+"."+name, []*trace.Recording{rec})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range typ.Behind {
			got = append(got, b.Type)
		}
		if !slices.Equal(got, want) {
			t.Errorf("behind %s: %q, expected %q", name, got, want)
		}
	}
}

// TestResourcesAreOfTheirRequests checks that the calls for a resource and the other calls
// of one type have separate entries.
func TestResourcesAreOfTheirRequests(t *testing.T) {
	typ := &Type{}
	for _, d := range []explain.Dispatch{{Method: "a.Getter.Get", Scenarios: []string{"boot"}}, {Method: "a.Getter.Get", Resource: "nodes", Scenarios: []string{"get-node"}}, {Method: "a.Storage.New", Scenarios: []string{"evict-pod"}}} {
		typ.add(d, "*a.Store", nil)
	}
	want := []Behind{
		{Type: "*a.Store", Methods: []string{"a.Getter.Get", "a.Storage.New"}, Scenarios: []string{"boot", "evict-pod"}},
		{Type: "*a.Store", Resources: []string{"nodes"}, Methods: []string{"a.Getter.Get"}, Scenarios: []string{"get-node"}},
	}
	if diff := cmp.Diff(want, typ.Behind); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestNoticeOfRenamedType looks types up by names of other releases, of imports, and of
// this release.
func TestNoticeOfRenamedType(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"master.Master":           `master.Master is controlplane.Instance in Kubernetes v1.37.1; "apitrace history 'master.Master'" says since when`,
		"controlplane.Instance":   "",
		"genericregistry.Store":   "",
		"policygeneric.Plugin[H]": "",
	} {
		said := &notices{}
		c := &Base{Guide: guide, Version: "v1.37.1", to: said}
		if name, kind, err := c.ResolveAny(t.Context(), query); err != nil || kind != lineage.Type || strings.Join(said.said, "\n") != want {
			t.Errorf("%s: %s, %v, %v, notices %q, expected %q", query, name, kind, err, said.said, want)
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
		t.Errorf("by its own name: got %+v, %v, expected a type without an alias", same, err)
	}
}
