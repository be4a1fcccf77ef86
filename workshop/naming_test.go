package workshop

import (
	"strings"
	"testing"
)

// TestFunctionsCalled types names as people do, who have them from the tree, from the source, or from memory.
func TestFunctionsCalled(t *testing.T) {
	known := []string{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get",
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).GetList",
		"k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Get",
		"k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Update.func1",
		"k8s.io/apiserver/pkg/storage/errors.InterpretGetError",
		"k8s.io/apiserver/pkg/admission.chainAdmissionHandler.Admit",
	}
	for _, c := range []struct{ typed, want string }{
		{"etcd3.(*store).Get", "etcd3.(*store).Get"},
		{"etcd3.store.Get", "etcd3.(*store).Get"},
		{"store.Get", "etcd3.(*store).Get"},
		{"Store.Get", "registry.(*Store).Get"},
		{"`etcd3.(*store).Get()`", "etcd3.(*store).Get"},
		{"func (s *store) Get", "etcd3.(*store).Get"},
		{"etcd3.Get", "etcd3.(*store).Get"},
		{"ETCD3.(*STORE).GET", "etcd3.(*store).Get"},
		{"etcd3.(*store).getlist", "etcd3.(*store).GetList"},
		{"genericregistry.(*Store).Update.func1", "registry.(*Store).Update.func1"},
		{"storeerr.InterpretGetError", "errors.InterpretGetError"},
		{"chainAdmissionHandler.Admit", "admission.chainAdmissionHandler.Admit"},
		{"genericregistry.(*Store).Get", "etcd3.(*store).Get registry.(*Store).Get"}, // which?
		{"REST.Get", ""},
		{"etcd3.(*store).Delete", ""},
		{"", ""},
	} {
		if got := strings.Join(shorten(functionsCalled(cleanName(c.typed), known)), " "); got != c.want {
			t.Errorf("%q is taken for %q, expected %q", c.typed, got, c.want)
		}
	}
}

func TestLiteralsIn(t *testing.T) {
	known := []string{"a/endpoints.restfulCreateResource.func1", "a/handlers.createHandler.func1", "a/handlers.createHandler.func1.2", "a/handlers.Other"}
	for typed, want := range map[string]string{
		"restfulCreateResource":  "endpoints.restfulCreateResource.func1",
		"handlers.createHandler": "handlers.createHandler.func1 handlers.createHandler.func1.2",
		"handlers.Other":         "",
	} {
		if got := strings.Join(shorten(literalsIn(typed, known)), " "); got != want {
			t.Errorf("in %q are %q, expected %q", typed, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"a/etcd3.(*store).Get", "a/json.getListMeta", "a/endpoints.restfulGetResource", "b/endpoints.restfulGetResource"}
	for _, c := range []struct{ typed, want string }{
		{"etcd3.(*store).GetList", "etcd3.(*store).Get json.getListMeta"},
		{"GetResource", "endpoints.restfulGetResource"},
		{"json.(*l).Get", "etcd3.(*store).Get json.getListMeta endpoints.restfulGetResource"},
		{"xyzzy", ""},
	} {
		if got := strings.Join(nearest(c.typed, known), " "); got != c.want {
			t.Errorf("nearest to %q is %q, expected %q", c.typed, got, c.want)
		}
	}
}
