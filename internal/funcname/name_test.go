package funcname

import "testing"

func TestParse(t *testing.T) {
	for full, want := range map[string]Name{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get": {"k8s.io/apiserver/pkg/storage/etcd3", "store", "Get", ""},
		"a.b/c.strategy.Validate":                         {"a.b/c", "strategy", "Validate", ""},
		"a.b/c.(*lru[...]).add.func1":                     {"a.b/c", "lru[...]", "add", ".func1"},
		"a.b/c.Map[...]":                                  {"a.b/c", "", "Map[...]", ""},
		"a.b/c.create.func1.2":                            {"a.b/c", "", "create", ".func1.2"},
		"a.b/c.init.0":                                    {"a.b/c", "", "init.0", ""},
		"a.b/c.init.0.func1":                              {"a.b/c", "", "init.0", ".func1"},
		"a.b/c.init.func3":                                {"a.b/c", "", "init", ".func3"},
		"main.main":                                       {"main", "", "main", ""},
		"a.b/c.Map[go.shape.string,d.e/f.T]":              {"a.b/c", "", "Map[go.shape.string,d.e/f.T]", ""},
		"gopkg.in/c/d.v4.(*T).M":                          {"gopkg.in/c/d.v4", "T", "M", ""},
		"gopkg.in/c.v2.F.func1":                           {"gopkg.in/c.v2", "", "F", ".func1"},
		"GET":                                             {"", "", "GET", ""},
		"":                                                {},
	} {
		if got := Parse(full); got != want {
			t.Errorf("Parse(%q) = %+v, expected %+v", full, got, want)
		}
	}
}

func TestPackage(t *testing.T) {
	for name, want := range map[string]string{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get": "k8s.io/apiserver/pkg/storage/etcd3",
		"a.b/c.Map[d.e/f.T]":                              "a.b/c",
		"k8s.io/kubernetes/pkg/registry/":                 "k8s.io/kubernetes/pkg/registry",
		"k8s.io":                                          "k8s", // without a slash, the dot ends the package
		"gopkg.in/c/d.v4.F":                               "gopkg.in/c/d.v4",
		"gopkg.in/c/d.v4":                                 "gopkg.in/c/d.v4",
		"gopkg.in/c/":                                     "gopkg.in/c",
		"main":                                            "main",
	} {
		if got := Package(name); got != want {
			t.Errorf("Package(%q) = %q, expected %q", name, got, want)
		}
	}
}
