package workshop

import (
	"strings"
	"testing"
)

// TestFunctionsCalled uses names as people type them: from the tree, from the source, or
// from memory.
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
		{"genericregistry.(*Store).Get", "registry.(*Store).Get"},            // the type has a capital
		{"generic.(*STORE).Get", "etcd3.(*store).Get registry.(*Store).Get"}, // both types match
		{"foo.Get", ""}, // foo is probably another type, not another package
		{"generic/registry.Store.Get", "registry.(*Store).Get"},
		{"etcd3/store.Get", "etcd3.(*store).Get"},
		{"node/errors.InterpretGetError", ""},
		{"REST.Get", ""},
		{"etcd3.(*store).Delete", ""},
		{"", ""},
	} {
		if got := strings.Join(shorten(functionsCalled(cleanName(c.typed), known)), " "); got != c.want {
			t.Errorf("%q stands for %q, expected %q", c.typed, got, c.want)
		}
	}
}

func TestLiteralsIn(t *testing.T) {
	known := []string{"a/endpoints.restfulCreateResource.func1", "a/handlers.createHandler.func1", "a/handlers.createHandler.func1.2", "a/handlers.Other", "a/etcd3.(*tracker).Get.func1"}
	for typed, want := range map[string]string{
		"restfulCreateResource":             "endpoints.restfulCreateResource.func1",
		"handlers.createHandler":            "handlers.createHandler.func1 handlers.createHandler.func1.2",
		"handlers.Other":                    "",
		"foo.createHandler":                 "handlers.createHandler.func1 handlers.createHandler.func1.2",
		"foo.Get":                           "",
		"b/endpoints.restfulCreateResource": "",
	} {
		if got := strings.Join(shorten(literalsIn(typed, known)), " "); got != want {
			t.Errorf("the literals in %q are %q, expected %q", typed, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"a/etcd3.(*store).Get", "a/json.getListMeta", "a/endpoints.restfulGetResource", "b/endpoints.restfulGetResource"}
	for _, c := range []struct{ typed, want string }{
		{"etcd3.(*store).GetList", "json.getListMeta"},
		{"etcd3.(*store).Gte", "etcd3.(*store).Get"},
		{"GetResource", "endpoints.restfulGetResource"},
		{"json.(*l).Get", "json.getListMeta endpoints.restfulGetResource"},
		{"xyzzy", ""},
	} {
		if got := strings.Join(nearest(c.typed, known, []string{"a/etcd3.(*store).Get"}), " "); got != c.want {
			t.Errorf("nearest to %q is %q, expected %q", c.typed, got, c.want)
		}
	}
}

func TestIsType(t *testing.T) {
	known := []string{"a/rbac.(*RBACAuthorizer).Authorize", "a/rbac.New", "a/server.director.ServeHTTP.func1"}
	for typed, want := range map[string]bool{
		"rbac.RBACAuthorizer": true, "rbac.(*RBACAuthorizer)": true, "director": true,
		"rbac": false, "rbac.New": false, "server.ServeHTTP": false,
	} {
		if got := isType(typed, known); got != want {
			t.Errorf("%q is a type: %v, expected %v", typed, got, want)
		}
	}
}

func TestIsNamed(t *testing.T) {
	names := []string{"node/storage.(*REST).Get"}
	for typed, want := range map[string]bool{
		"node/storage.(*REST).Get": true, "storage.REST.Get": true, "REST.Get": true,
		"Get": false, "rest.(*REST).Get": false, "storage.(*REST).Gets": false,
	} {
		if got := isNamed(typed, names); got != want {
			t.Errorf("%q is named: %v, expected %v", typed, got, want)
		}
	}
}
