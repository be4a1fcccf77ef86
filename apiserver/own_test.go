package apiserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/serverconfig"
)

// writeModule writes the files of a module to a new folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOwnProgram(t *testing.T) {
	const main = "package main\n\nfunc main() {}\n"
	for name, test := range map[string]struct {
		module, version, main string
		files                 map[string]string
		program, file, fails  string
	}{
		"the top folder":   {module: "example.com/mine/v2", files: map[string]string{"main.go": main}, program: "mine", file: "main.go"},
		"below cmd":        {module: "example.com/mine", files: map[string]string{"cmd/server/server.go": main, "pkg/gen/gen.go": main, "hack/x/x.go": main}, program: "server", file: "cmd/server/server.go"},
		"chosen":           {module: "example.com/mine", main: "./cmd/b", files: map[string]string{"cmd/a/a.go": main, "cmd/b/b.go": main}, program: "b", file: "cmd/b/b.go"},
		"several":          {module: "example.com/mine", files: map[string]string{"cmd/a/a.go": main, "cmd/b/b.go": main}, fails: "choose the API server with --main, one of cmd/a"},
		"none":             {module: "example.com/mine", files: map[string]string{"a.go": "package a\n"}, fails: "has no package main"},
		"not main":         {module: "example.com/mine", main: "a", files: map[string]string{"a/a.go": "package a\n"}, fails: "expected the folder of a package main"},
		"two files":        {module: "example.com/mine", files: map[string]string{"a.go": main, "b.go": "package main\n"}, fails: "has 2 files"},
		"internal":         {module: "example.com/mine", files: map[string]string{"a.go": "package main\n\nimport _ \"example.com/mine/internal/x\"\n"}, fails: `imports "example.com/mine/internal/x"`},
		"kube-apiserver":   {module: "example.com/mine", files: map[string]string{"cmd/kube-apiserver/a.go": main}, program: "own-kube-apiserver", file: "cmd/kube-apiserver/a.go"},
		"the sample":       {module: sampleserver.Module, version: "v0.37.1", files: map[string]string{"main.go": main}, program: sampleserver.Name, file: "main.go"},
		"an older sample":  {module: sampleserver.Module, version: "v0.30.4", files: map[string]string{"main.go": main}, program: "own-sample-apiserver", file: "main.go"},
		"a sample's copy":  {module: sampleserver.Module, files: map[string]string{"main.go": main}, program: "own-sample-apiserver", file: "main.go"},
		"a nested module":  {module: "example.com/mine", files: map[string]string{"main.go": main, "cmd/x/go.mod": "module x\n", "cmd/x/x.go": main}, program: "mine", file: "main.go"},
		"tests of another": {module: "example.com/mine", files: map[string]string{"main.go": main, "main_test.go": "package main\n"}, program: "mine", file: "main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			o := BuildOptions{Version: "v1.37.1", Own: serverconfig.Own{Server: test.module, Main: test.main}}
			p, err := o.ownProgram(test.module, test.version, writeModule(t, test.files))
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("%v, expected %q", err, test.fails)
				}
				return
			}
			if err != nil || p.Name != test.program || p.Main != test.file {
				t.Errorf("%q from %q (%v), expected %q from %q", p.Name, p.Main, err, test.program, test.file)
			}
		})
	}
}

func TestLibraryVersion(t *testing.T) {
	for goMod, want := range map[string]string{
		"require k8s.io/apiserver v0.36.2\n": "v1.36.2",
		"require k8s.io/apiserver v0.36.2\nreplace k8s.io/apiserver => k8s.io/apiserver v0.30.4\n": "v1.30.4",
		"require k8s.io/apiserver v0.36.2\nreplace k8s.io/apiserver => ../apiserver\n":             "v1.36.2",
		"require k8s.io/apimachinery v0.36.2\n":                                                    "requires no version v0.X of k8s.io/apiserver",
		"require k8s.io/apiserver v0.10.0\n":                                                       "outside of the range",
	} {
		got, err := libraryVersion(program.Program{Module: "example.com/mine"}, []byte("module example.com/mine\n"+goMod))
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, expected %s", goMod, got, want)
		}
	}
}

// The guide knows a server's own packages by its module, and those of the sample server only for the sample server.
func TestOwnGuide(t *testing.T) {
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	mine := ownGuide(guide, program.Program{Name: "mine", Module: "example.com/mine"})
	var paths []string
	for _, p := range mine.Programs["mine"].Packages {
		paths = append(paths, p.Path)
	}
	all := strings.Join(paths, " ")
	if strings.Contains(all, sampleserver.Module) || !strings.Contains(all, "k8s.io/apiserver/pkg/registry") || !strings.HasSuffix(all, " example.com/mine") {
		t.Errorf("the packages are %s", all)
	}
	if guide.Programs["mine"] != nil {
		t.Error("the built-in guide was changed")
	}
	if older := ownGuide(guide, program.Program{Name: "own-sample-apiserver", Module: sampleserver.Module}); older.Key("own-sample-apiserver", "v1.30.4") != guide.Key(sampleserver.Name, "v1.30.4") {
		t.Error("another release of the sample server is traced differently")
	}
}
