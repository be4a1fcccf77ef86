package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// A tree is a main module, with the modules of the traced packages as folders. The
// folders are necessary because the go command accepts no overlay for its module cache.
// A vendor folder would lack the tests.
type tree struct {
	dir string
	// overlays are the files for "go test -overlay", by form.
	overlays map[form]string
}

// newTree makes the tree of a program of a Kubernetes release, with the overlays of its
// forms.
func newTree(t *testing.T, name, version string) *tree {
	t.Helper()
	cache, err := program.OpenCache("")
	if err != nil {
		t.Fatal(err)
	}
	one := apiserver.Program(version)
	if name == storage.Name {
		up, err := program.Resolve(t.Context(), cache, one.Module, version)
		if err != nil {
			t.Fatal(err)
		}
		if one, err = storage.ProgramOf(up); err != nil {
			t.Fatal(err)
		}
	}
	display := program.NewDisplay(os.Stderr, false, message.Printer{})
	t.Cleanup(display.Close)
	vendor, err := program.SourceTree(t.Context(), one, program.Options{Cache: cache, Progress: display})
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	options := instrument.Options{Guide: guide, Program: name, Version: one.Release(), Vendor: vendor, Out: t.TempDir()}
	traced, err := instrument.Rewrite(options) // only to find the modules with traced packages
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{}
	for path, version := range modulesOf(t, vendor, slices.Collect(maps.Keys(traced.Overlay))) {
		folders[path] = download(t, version)
	}
	return newTreeOf(t, options, filepath.Dir(vendor), folders)
}

// newTreeOf makes a tree of modules. The keys of modules are module paths, the values are
// folders. The tree's go.mod is made from the go.mod of the workspace. options are the
// options of the rewriter; newTreeOf sets Vendor and Out.
func newTreeOf(t *testing.T, options instrument.Options, workspace string, modules map[string]string) *tree {
	t.Helper()
	from := &tree{dir: t.TempDir(), overlays: map[form]string{}}
	from.takeModules(t, workspace, modules)
	options.Vendor, options.Out = filepath.Join(from.dir, "source"), t.TempDir()
	rewritten, err := instrument.Rewrite(options)
	if err != nil {
		t.Fatal(err)
	}
	from.writeOverlay(t, idleForm, rewritten.Overlay)
	rooted := maps.Clone(rewritten.Overlay)
	maps.Copy(rooted, rootTests(t, options.Vendor, slices.Collect(maps.Keys(rewritten.Overlay)), t.TempDir()))
	from.writeOverlay(t, tracedForm, rooted)
	return from
}

func (from *tree) writeOverlay(t *testing.T, f form, replace map[string]string) {
	t.Helper()
	text, err := json.Marshal(struct{ Replace map[string]string }{replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(from.dir, "overlay-"+string(f)+".json")
	write(t, file, text)
	from.overlays[f] = file
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// modulesOf returns the modules of files in a vendor folder. The keys are module paths,
// the values are module@version.
func modulesOf(t *testing.T, vendor string, files []string) map[string]string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(vendor, "modules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) >= 3 && fields[0] == "#" {
			all[fields[1]] = strings.Join(fields[len(fields)-2:], "@")
			if len(fields) == 3 {
				all[fields[1]] = fields[1] + "@" + fields[2]
			}
		}
	}
	found := map[string]string{}
	for _, file := range files {
		rel, ok := strings.CutPrefix(filepath.ToSlash(file), filepath.ToSlash(vendor)+"/")
		if !ok {
			continue // a file of the probe
		}
		var module string
		for m := range all {
			if len(m) > len(module) && strings.HasPrefix(rel, m+"/") {
				module = m
			}
		}
		found[module] = all[module]
	}
	return found
}

// takeModules copies modules into the tree, each to a folder with its module path. It
// makes the tree's go.mod from the go.mod of the workspace.
func (from *tree) takeModules(t *testing.T, workspace string, modules map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(workspace, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, folder := range modules {
		place := filepath.Join("source", filepath.FromSlash(path))
		if err := os.CopyFS(filepath.Join(from.dir, place), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
		if file := filepath.Join(from.dir, place, "go.mod"); !exists(file) {
			write(t, file, []byte("module "+path+"\n")) // a module from before Go had modules
		}
		for _, r := range mod.Replace {
			if r.Old.Path == path {
				err = mod.DropReplace(path, r.Old.Version)
			}
		}
		if err == nil {
			err = mod.AddReplace(path, "", "./"+filepath.ToSlash(place), "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if text, err = mod.Format(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(from.dir, "go.mod"), text)
	sums, err := os.ReadFile(filepath.Join(workspace, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(from.dir, "go.sum"), sums)
}

// download returns the folder of a module in Go's module cache.
func download(t *testing.T, module string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	var stderr bytes.Buffer
	command.Stderr, command.Dir = &stderr, t.TempDir()
	out, err := command.Output()
	var answer struct{ Dir, Error string }
	notJSON := json.Unmarshal(out, &answer)
	if err := cmp.Or(err, notJSON); err != nil || answer.Error != "" {
		t.Fatalf("go mod download %s: %v %s %s", module, err, answer.Error, &stderr)
	}
	return answer.Dir
}
