package program

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/internal/message"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s differs (go test -run %s -update rewrites it); got:\n%s", file, t.Name(), got)
	}
}

func TestGoMod(t *testing.T) {
	up := Upstream{Module: "k8s.io/kubernetes", Version: "v1.30.4", GoMod: `
// The shape of upstream's go.mod, with all that it may hold.
module k8s.io/kubernetes

go 1.22.0

toolchain go1.22.5

godebug default=go1.22

godebug (
	winsymlink=0
)

require (
	example.org/a v1.0.0
	k8s.io/api v0.0.0
)

replace (
	example.org/a => example.org/fork v1.0.1
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/elsewhere => ../elsewhere
)
`}
	p := Program{Name: "kube-apiserver", Module: "k8s.io/kubernetes", Version: "v1.30.4",
		LocalReplace: func(_, dir string) (string, bool) { return "v0.30.4", strings.HasPrefix(dir, "staging/src/") }}
	got, err := p.goMod(up)
	must(t, err)
	compareGolden(t, "workspace.mod.golden", string(got))

	// If the released version of a replaced module is not available, Replace gives another one.
	p.Replace = map[string]module.Version{"k8s.io/api": {Version: "v0.30.3"}}
	got, err = p.goMod(up)
	must(t, err)
	if want := "k8s.io/api => k8s.io/api v0.30.3\n"; !strings.Contains(string(got), want) {
		t.Errorf("go.mod lacks %q:\n%s", want, got)
	}
}

// anonymous replaces the parts of a plan that differ between machines and versions of the
// modules in testdata.
func anonymous(plan string, c *Cache, p *Plan) string {
	toolchain, _ := FindToolchain(context.Background())
	return strings.NewReplacer(
		p.Workspace, "$CACHE/workspaces/<workspace>", p.Build, "$CACHE/builds/<build>", c.Root, "$CACHE",
		toolchain.ModCache, "$GOMODCACHE", toolchain.Go, "$GO",
	).Replace(plan)
}

func planText(t *testing.T, c *Cache, program Program, rewrite *Rewrite) string {
	t.Helper()
	p, err := MakePlan(t.Context(), program, Options{Cache: c, Rewrite: rewrite})
	must(t, err)
	var out bytes.Buffer
	must(t, p.Write(&out, message.Printer{}))
	return anonymous(out.String(), c, p)
}

// TestPlan compares plans with golden files. A plan shows every command of a build with its
// environment.
func TestPlan(t *testing.T) {
	t.Setenv("GOGC", "") // otherwise the plan would show the user's value
	serveModules(t)
	c := newCache(t)
	compareGolden(t, "plan-nothing-there.golden", planText(t, c, tiny(), rewriteHello(`"x"`)))
	compareGolden(t, "plan-generate.golden", planText(t, c, lacking(), nil))
	if list := entries(t, c); len(list) != 1 {
		t.Errorf("after planning, the cache has %+v, want only Go's build cache", list)
	}
	mustBuild(t, tiny(), Options{Cache: c})
	compareGolden(t, "plan-workspace-there.golden", planText(t, c, tiny(), rewriteHello(`"x"`)))
	compareGolden(t, "plan-all-there.golden", planText(t, c, tiny(), nil))
}
