package traced

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// recipeWith returns the recipe of a program that traces further packages.
func recipeWith(t *testing.T, p Program, names ...string) *Recipe {
	t.Helper()
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.ForVersion = func(k8s string, _ func() (program.Upstream, error)) (program.Program, error) {
		return program.Program{Name: p.Name, Version: k8s}, nil
	}
	if p.More, err = ParsePackages(names); err != nil {
		t.Fatal(err)
	}
	recipe, err := p.Recipe(Options{Version: "v1.37.1", Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return recipe
}

// TestMorePackagesArePartOfTheBuild checks that additional packages give the build
// another key, and that the build lists their names. Packages that the guide traces anyway
// must not change the build.
func TestMorePackagesArePartOfTheBuild(t *testing.T) {
	server := Program{Name: "kube-apiserver"}
	usual := recipeWith(t, server).options.Rewrite
	if len(usual.More) > 0 {
		t.Errorf("the build without additional packages has more packages: %q", usual.More)
	}
	keys := map[string]string{usual.Key: "the usual build"}
	for _, test := range []struct {
		packages, more []string
	}{
		{[]string{"k8s.io/apiserver/pkg/storage"}, nil},
		{[]string{"k8s.io/apiserver/pkg/storage/etcd3"}, nil},                                        // below a path that the guide traces recursively
		{[]string{"k8s.io/apiserver/pkg/storage/..."}, []string{"k8s.io/apiserver/pkg/storage/..."}}, // the guide leaves a package below the path out
		{[]string{"k8s.io/kube-aggregator/pkg/client/listers"}, []string{"k8s.io/kube-aggregator/pkg/client/listers"}},
		{[]string{"sigs.k8s.io/structured-merge-diff/v6/merge"}, nil},
		{[]string{"sigs.k8s.io/structured-merge-diff/v4/merge"}, []string{"sigs.k8s.io/structured-merge-diff/v4/merge"}}, // the guide traces it only in other releases
		{[]string{"k8s.io/kubernetes/pkg/api/node", "k8s.io/apiserver/pkg/audit"}, []string{"k8s.io/kubernetes/pkg/api/node"}},
		{[]string{"k8s.io/kubernetes/pkg/api/..."}, []string{"k8s.io/kubernetes/pkg/api/..."}},
	} {
		recipe := recipeWith(t, server, test.packages...)
		rewrite := recipe.options.Rewrite
		if !slices.Equal(rewrite.More, test.more) || !slices.Equal(recipe.More, test.more) {
			t.Errorf("%q: Recipe.More is %q and Rewrite.More is %q, expected %q for both", test.packages, recipe.More, rewrite.More, test.more)
		}
		if len(test.more) == 0 && rewrite.Key != usual.Key {
			t.Errorf("%q are traced anyway, but give the build another key", test.packages)
		}
		if other, known := keys[rewrite.Key]; known && len(test.more) > 0 {
			t.Errorf("%q gives the build the same key as %s", test.packages, other)
		}
		keys[rewrite.Key] = strings.Join(test.packages, " ")
	}
}

// TestMorePackagesAreRewritten checks that the usual and the additional packages are
// rewritten, and no others.
func TestMorePackagesAreRewritten(t *testing.T) {
	workspace := t.TempDir()
	source := func(pkg string) string {
		return "package " + pkg + "\n\nfunc F() { f() }\n\nfunc f() { println() }\n"
	}
	vendor := writeModule(t, map[string]string{
		"example.com/usual/usual.go": source("usual"), "example.com/more/more.go": source("more"),
		"example.com/more/below/below.go": source("below"), "example.com/other/other.go": source("other"),
	})
	if err := os.Rename(vendor, filepath.Join(workspace, "vendor")); err != nil {
		t.Fatal(err)
	}
	p := Program{Name: "prog", Adapt: func(*instrument.Guide) *instrument.Guide {
		return &instrument.Guide{Programs: map[string]*instrument.ProgramGuide{"prog": {Packages: []instrument.Packages{{Path: "example.com/usual"}}}}}
	}}
	for names, want := range map[string][]string{
		"":                     {"usual"},
		"example.com/more":     {"more", "usual"},
		"example.com/more/...": {"below", "more", "usual"},
	} {
		out := t.TempDir()
		rewritten, err := recipeWith(t, p, strings.Fields(names)...).options.Rewrite.Run(t.Context(), workspace, out)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for file := range maps.Keys(rewritten.Overlay) {
			if name := strings.TrimSuffix(filepath.Base(file), ".go"); strings.HasSuffix(filepath.Dir(file), "/"+name) && strings.Contains(file, "example.com") {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("with %q the packages %q are rewritten, expected %q", names, got, want)
		}
	}
}

func TestUnknownPackages(t *testing.T) {
	vendor := writeModule(t, map[string]string{
		"k8s.io/kubernetes/pkg/api/node/util.go":           "package node\n",
		"k8s.io/kubernetes/pkg/api/pod/util.go":            "package pod\n",
		"k8s.io/apiserver/plugin/pkg/audit/log/backend.go": "package log\n",
		"k8s.io/klog/v2/klog.go":                           "package klog\n",
		"golang.org/x/sys/elsewhere/call.go":               "//go:build !" + runtime.GOOS + "\n\npackage elsewhere\n",
		"example.com/tests/only_test.go":                   "package tests\n",
	})
	const (
		unknown  = ": no such package is compiled into prog: expected the import path of a package that is; "
		standard = ": an import path without a domain belongs to Go's standard library, which cannot be traced: expected the import path of a package that is compiled into prog; "
		example  = `try "k8s.io/kubernetes/pkg/api/pod", or "k8s.io/kubernetes/pkg/api/..." for all packages below a path`
		invalid  = `: expected the import path of a package, such as "k8s.io/kubernetes/pkg/api/pod", or of several, such as "k8s.io/kubernetes/pkg/api/...": `
	)
	for name, want := range map[string]string{
		"k8s.io/kubernetes/pkg/api/pod":     "",
		"k8s.io/kubernetes/pkg/api/...":     "",
		"k8s.io/klog":                       unknown + "the nearest are k8s.io/klog/v2", // a folder that is not a package
		"k8s.io/kubernetes/pkg/api/pods":    unknown + "the nearest are k8s.io/kubernetes/pkg/api/pod",
		"example.com/kubelet/cm/cpumanager": unknown + example, // a package of another program
		"golang.org/x/sys/elsewhere":        unknown,           // a package only for other operating systems
		"golang.org/x/sys/...":              unknown,
		"example.com/tests":                 unknown + example,
		"example.com/none/...":              unknown + example,
		"net/http":                          standard + example,
		"log":                               standard + "the nearest are k8s.io/apiserver/plugin/pkg/audit/log",
		"api/pod":                           standard + "the nearest are k8s.io/kubernetes/pkg/api/pod",
		"...":                               invalid,
		"./pod":                             invalid,
		"":                                  invalid,
		"k8s.io/kubernetes/*":               invalid,
		"k8s.io/.../pod":                    invalid,
		"k8s.io/kubernetes/":                invalid,
	} {
		all, err := ParsePackages([]string{name})
		if err == nil {
			err = CheckPackages(all, message.Of("prog"), t.TempDir(), vendor)
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: got the error %v, expected none", name, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "--trace "+strconv.Quote(name)+want)):
			t.Errorf("%q: %v\nexpected %s", name, err, want)
		}
		if err != nil && !errors.As(err, new(*message.UsageError)) {
			t.Errorf("%q: got the error %v, expected a UsageError", name, err)
		}
	}
}
