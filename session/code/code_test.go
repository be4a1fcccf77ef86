package code

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// TestInReleaseOnly asks for a function in a package that the program does not
// import. kube-apiserver v1.20 serves no insecure port, but the release still has the
// code for it (pkg/kubeapiserver/server/insecure_handler.go).
func TestInReleaseOnly(t *testing.T) {
	const pkg = "k8s.io/kubernetes/pkg/kubeapiserver/server"
	tree := treeOf(t, map[string]string{"k8s.io/kubernetes/pkg/kubeapiserver/doc.go": "package kubeapiserver\n\nfunc F() {}\n"})
	c := &Base{Version: "v1.20.15", trees: map[string]*source.Tree{apiserver.Name: tree, storage.Name: tree}}
	for name, want := range map[string]string{
		pkg + ".BuildInsecureHandlerChain":      "the source of Kubernetes v1.20.15 has it, in a package that kube-apiserver does not import",
		pkg + ".BuildHandler":                   "expected a name as the tree shows it",
		"k8s.io/kubernetes/pkg/kubeapiserver.G": "did you mean one of these?",
	} {
		_, _, err := c.function(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), `"`+name+`"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected the name and %q", name, err, want)
		}
	}
}

// notices collects a Reporter's notices, one line each.
type notices struct {
	session.Reporter
	said []string
}

func (n *notices) Notice(format string, args ...any) {
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

// TestResolvePrefersKubernetes asks for a function that kube-apiserver had up to
// v1.33. etcd has another function of that name.
func TestResolvePrefersKubernetes(t *testing.T) {
	const etcds = "go.etcd.io/etcd/server/v3/etcdserver/api/v2store"
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	said := &notices{} // Building is not called, because both trees exist
	c := &Base{Guide: guide, Version: "v1.37.1", to: said, trees: map[string]*source.Tree{
		apiserver.Name: treeOf(t, map[string]string{"k8s.io/apiserver/pkg/storage/etcd3/store.go": "package etcd3\n\nfunc New() {}\n"}),
		storage.Name:   treeOf(t, map[string]string{etcds + "/store.go": "package v2store\n\nfunc newStore() {}\n"}),
	}}
	_, err = c.resolve(t.Context(), "newStore")
	if gone := new(lineage.GoneError); !errors.As(err, &gone) || !strings.Contains(err.Error(), "etcd3.New") {
		t.Errorf("newStore: error %v, expected what became of kube-apiserver's function", err)
	}
	if len(said.said) != 1 || !strings.Contains(said.said[0], "'v2store.newStore'") {
		t.Errorf("newStore: notices %q, expected the function of etcd", said.said)
	}
	said.said = nil
	if name, err := c.resolve(t.Context(), "genericregistry.Store.deleteWithoutFinalizers"); err != nil || name != "k8s.io/apiserver/pkg/registry/generic/registry.(*Store).deleteWithoutFinalizers" || len(said.said) > 0 {
		t.Errorf("genericregistry.Store.deleteWithoutFinalizers: %s, %v, notices %q: expected none, because the name of an import is not an older name", name, err, said.said)
	}
	if name, err := c.resolve(t.Context(), "v2store.newStore"); err != nil || name != etcds+".newStore" {
		t.Errorf("v2store.newStore: got %s, %v, expected the function of etcd", name, err)
	}
}

// TestTextsOfOneRelease asks for the texts of a function that v1.37.1 has and v1.36.3 has
// not. The error says which release has it, whichever release is first.
func TestTextsOfOneRelease(t *testing.T) {
	const rest = "k8s.io/apiserver/pkg/registry/rest"
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	of := func(version, text string) *Base {
		tree := treeOf(t, map[string]string{rest + "/create.go": "package rest\n\n" + text})
		return &Base{Guide: guide, Version: version, to: &notices{}, trees: map[string]*source.Tree{apiserver.Name: tree, storage.Name: tree}}
	}
	before := of("v1.36.3", "func BeforeCreate() {}\n")
	after := of("v1.37.1", "func BeforeCreate() { ValidateCreate() }\n\nfunc ValidateCreate() {}\n")
	want := "Kubernetes v1.37.1 has rest.ValidateCreate, and v1.36.3 does not: there is no text to compare with\n" +
		`"apitrace source rest.ValidateCreate --k8s v1.37.1" shows the text, and "apitrace history rest.ValidateCreate" lists the releases`
	for _, pair := range [][2]*Base{{before, after}, {after, before}} {
		if _, _, err := Texts(t.Context(), pair[0], pair[1], "rest.ValidateCreate"); err == nil || err.Error() != want {
			t.Errorf("%s and %s: %v, expected the error\n%s", pair[0].Version, pair[1].Version, err, want)
		}
	}
	a, b, err := Texts(t.Context(), before, after, "rest.BeforeCreate")
	if err != nil || a.Function.Name != rest+".BeforeCreate" || b.Function.Name != a.Function.Name {
		t.Errorf("rest.BeforeCreate: %+v, %+v, %v, expected the function in both releases", a.Function, b.Function, err)
	}
}
