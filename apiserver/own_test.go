package apiserver

import (
	"errors"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
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
		"several":          {module: "example.com/mine", files: map[string]string{"cmd/a/a.go": main, "cmd/b/b.go": main}, fails: "choose the API server with --main, one of cmd/a, cmd/b"},
		"generators":       {module: "example.com/mine", files: map[string]string{"cmd/a/a.go": main, "cmd/b/b.go": main, "pkg/gen/gen.go": main}, fails: "has several packages main: choose the API server with --main, one of cmd/a, cmd/b"},
		"top and below":    {module: "example.com/mine", files: map[string]string{"main.go": main, "cmd/b/b.go": main, "gen/gen.go": main}, fails: "one of ., cmd/b"},
		"unusual folders":  {module: "example.com/mine", files: map[string]string{"a/a.go": main, "b/b.go": main}, fails: "one of a, b"},
		"none":             {module: "example.com/mine", files: map[string]string{"a.go": "package a\n"}, fails: "has no package main"},
		"not main":         {module: "example.com/mine", main: "a", files: map[string]string{"a/a.go": "package a\n"}, fails: "expected the folder of a package main in module example.com/mine"},
		"no such folder":   {module: "example.com/mine", main: "./mine/cmd/a", files: map[string]string{"cmd/a/a.go": main, "cmd/b/b.go": main, "pkg/gen/gen.go": main}, fails: "expected the folder of a package main in module example.com/mine, one of cmd/a, cmd/b"},
		"two files":        {module: "example.com/mine", files: map[string]string{"a.go": main, "b.go": "package main\n"}, program: "mine", file: "./"},
		"internal":         {module: "example.com/mine", files: map[string]string{"a.go": "package main\n\nimport _ \"example.com/mine/internal/x\"\n"}, program: "mine", file: "./"},
		"two below cmd":    {module: "example.com/mine", main: "cmd/b", files: map[string]string{"cmd/b/b.go": main, "cmd/b/c.go": "package main\n"}, program: "b", file: "cmd/b/"},
		"another internal": {module: "example.com/mine", files: map[string]string{"a.go": "package main\n\nimport _ \"example.com/other/internal/x\"\n\nfunc main() {}\n"}, program: "mine", file: "a.go"},
		"kube-apiserver":   {module: "example.com/mine", files: map[string]string{"cmd/kube-apiserver/a.go": main}, program: "own-kube-apiserver", file: "cmd/kube-apiserver/a.go"},
		"the sample":       {module: sampleserver.Module, version: "v0.37.1", files: map[string]string{"main.go": main}, program: sampleserver.Name, file: "main.go"},
		"an older sample":  {module: sampleserver.Module, version: "v0.30.4", files: map[string]string{"main.go": main}, program: "own-sample-apiserver", file: "main.go"},
		"a sample's copy":  {module: sampleserver.Module, files: map[string]string{"main.go": main}, program: "own-sample-apiserver", file: "main.go"},
		"a nested module":  {module: "example.com/mine", files: map[string]string{"main.go": main, "cmd/x/go.mod": "module x\n", "cmd/x/x.go": main}, program: "mine", file: "main.go"},
		"tests of another": {module: "example.com/mine", files: map[string]string{"main.go": main, "main_test.go": "package main\n"}, program: "mine", file: "main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			own := serverconfig.Own{Server: test.module, Main: test.main}
			p, err := ownProgram(own, "v1.37.1", test.module, test.version, writeModule(t, test.files))
			if test.fails != "" {
				if err == nil || !strings.HasSuffix(err.Error(), test.fails) {
					t.Errorf("got the error %v, expected it to end with %q", err, test.fails)
				}
				return
			}
			if err != nil || p.Name != test.program || p.Main != test.file {
				t.Errorf("got program %q from %q (error %v), expected %q from %q", p.Name, p.Main, err, test.program, test.file)
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
			t.Errorf("%q: got %s, expected %s", goMod, got, want)
		}
	}
}

// TestOwnGuide checks that a server's entry has the library's packages and the server's
// module, but no packages of the sample server.
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
		t.Errorf("the packages are %s, expected the library's and example.com/mine, but not the sample server's", all)
	}
	if guide.Programs["mine"] != nil {
		t.Error("the built-in guide was changed")
	}
	if older := ownGuide(guide, program.Program{Name: "own-sample-apiserver", Module: sampleserver.Module}); older.Key("own-sample-apiserver", "v1.30.4") != guide.Key(sampleserver.Name, "v1.30.4") {
		t.Error("another release of the sample server has another key, expected the key of the sample server")
	}
}

// TestOwnFolders checks the folders of a module, of the other modules in its workspace,
// and of the replacements in its go.mod. Folders that no build reads are left out.
func TestOwnFolders(t *testing.T) {
	both := writeModule(t, map[string]string{
		"mine/go.mod":               "module example.com/mine\n\ngo 1.21\n\nrequire example.com/helper v0.0.0\n\nreplace example.com/helper => ../helper\n",
		"mine/cmd/x/main.go":        "package main\n",
		"mine/.git/config":          "",
		"mine/vendor/modules.txt":   "",
		"mine/hack/tools/go.mod":    "module example.com/tools\n",
		"mine/hack/tools/x/x.go":    "package x\n",
		"helper/go.mod":             "module example.com/helper\n",
		"helper/sub/helper.go":      "package sub\n",
		"helper/testdata/nothing":   "",
		"another/cmd/other/main.go": "package main\n",
		"go.work":                   "go 1.21\n\nuse (\n\t./mine\n\t./lib\n)\n",
		"lib/go.mod":                "module example.com/lib\n",
		"lib/x/x.go":                "package x\n",
	})
	folders, err := OwnFolders(serverconfig.Own{Server: filepath.Join(both, "mine")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, folder := range folders {
		rel, err := filepath.Rel(both, folder)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if want := "mine mine/cmd mine/cmd/x mine/hack lib lib/x helper helper/sub"; strings.Join(got, " ") != want {
		t.Errorf("folders %q, expected %q", got, want)
	}
}

func TestOwnFoldersOfNoModule(t *testing.T) {
	_, err := OwnFolders(serverconfig.Own{Server: t.TempDir()})
	if !errors.As(err, new(*message.UsageError)) || !strings.Contains(err.Error(), "expected the folder of a module") {
		t.Errorf("got the error %v, expected a UsageError about the folder", err)
	}
}

// TestWithoutMain checks that a package main in the vendor folder is not traced, but all other
// packages of its module are.
func TestWithoutMain(t *testing.T) {
	vendor := writeModule(t, map[string]string{
		"example.com/mine/cmd/x/main.go":       "package main\n",
		"example.com/mine/cmd/x/app/app.go":    "package app\n",
		"example.com/mine/pkg/a/a.go":          "package a\n",
		"example.com/mine/pkg/README":          "",
		"k8s.io/apiserver/pkg/server/serve.go": "package server\n",
	})
	all, err := withoutMain([]instrument.Packages{{Path: "k8s.io/apiserver/pkg/server"}, {Path: "example.com/mine", Recursive: true}}, vendor, "example.com/mine", "example.com/mine/cmd/x")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.Path)
		if p.Recursive {
			t.Errorf("%s is recursive, expected one entry for each package", p.Path)
		}
	}
	if want := "k8s.io/apiserver/pkg/server example.com/mine/cmd/x/app example.com/mine/pkg/a"; strings.Join(got, " ") != want {
		t.Errorf("packages %q, expected %q", got, want)
	}
}

// TestEditsOfOwnServers checks that the edits of a server belong to one version of it, and
// not to the sample server.
func TestEditsOfOwnServers(t *testing.T) {
	edits := program.Edits{Dir: t.TempDir(), Version: "v1.37.1"}
	vendor := writeModule(t, map[string]string{"example.com/mine/a.go": "package a\n"})
	old, sample := program.Program{Name: "mine", Version: "v0.1.0"}, program.Program{Name: sampleserver.Name, Version: "v0.37.1"}
	edited := func(p program.Program) string { return ownServer(p, nil).EditsName() }
	edit, err := edits.Add(edited(old), vendor, "example.com/mine/a.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(edit.Path, []byte("package a // changed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]int{edited(old): 1, edited(program.Program{Name: "mine", Version: "v0.2.0"}): 0, edited(sample): 0} {
		if got, err := edits.Changed(version); err != nil || len(got) != want {
			t.Errorf("%s has %d edits (%v), expected %d", version, len(got), err, want)
		}
	}
	all, err := ListEdits(edits)
	if err != nil || len(all) != 1 || all[0].Program != "mine@v0.1.0" {
		t.Fatalf("the edits are %v (%v), expected one of mine@v0.1.0", all, err)
	}
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := RevertEdit(edits, all[0], cache); err != nil {
		t.Fatal(err)
	}
	if all, err := ListEdits(edits); err != nil || len(all) != 0 {
		t.Errorf("the edits are %v (%v), expected none", all, err)
	}
}

// TestOwnServerDoesNotCompile checks that the error about an API server of the user's own
// names the file in the user's folder, not the compiled copy. It names no missing
// generated files, because apitrace does not know how this server's files are made.
func TestOwnServerDoesNotCompile(t *testing.T) {
	const pkg = "example.com/mine/pkg/rose"
	up := program.Upstream{Local: &program.LocalBuild{
		Name: "./mine", Folders: map[string]string{"example.com/mine": "."},
		Dir: writeModule(t, map[string]string{"pkg/rose/doc.go": "// +k8s:deepcopy-gen=package\npackage rose\n"}),
	}}
	compile := &program.CompileError{Complaints: []string{"# " + pkg, "../../builds/mine_1/overlay/" + pkg + "/strategy.go:108:200: ctx.Errr undefined"}}
	syntax := scanner.ErrorList{{Pos: token.Position{Filename: "/cache/mine_1/vendor/" + pkg + "/strategy.go", Line: 7, Column: 3}, Msg: "expected ';'"}}
	for want, err := range map[string]error{
		"./mine does not compile:\n\tpkg/rose/strategy.go:108: ctx.Errr undefined": compile,
		"./mine does not compile:\n\tpkg/rose/strategy.go:7:3: expected ';'":       message.Errorf("building: %w", syntax),
	} {
		if e, folders := inFolder(err, up); e == nil || e.Error() != want {
			t.Errorf("got %v and the folders %q, expected\n%s", e, folders, want)
		}
	}
	if e, _ := inFolder(compile, program.Upstream{}); e != nil {
		t.Errorf("for a released module: got %v, expected nil", e)
	}
	if e, _ := inFolder(errors.New("no space"), up); e != nil {
		t.Errorf("for an error that is not the compiler's: got %v, expected nil", e)
	}
}
