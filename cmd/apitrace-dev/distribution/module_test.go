package distribution

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

const root = "../../.."

// TestModuleHoldsWhatIsEmbedded checks that the module, as "go install" downloads it,
// has every file that the program embeds. A module has no files that git ignores, no
// folders named vendor and no modules below it.
func TestModuleHoldsWhatIsEmbedded(t *testing.T) {
	held := zipped(t)
	for _, name := range embedded(t, root) {
		if !slices.Contains(held, name) {
			t.Errorf("the module lacks %s, which the program embeds", name)
		}
	}
}

// zipped lists the files of the module: the files of the repository, without files that
// a module may not have.
func zipped(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		if _, missing := os.Stat(filepath.Join(root, ".git")); errors.Is(missing, os.ErrNotExist) {
			t.Skip("this folder is not a git checkout, and only git knows the files of the module")
		}
		t.Fatal(err)
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		files = append(files, tracked(name))
	}
	checked, err := zip.CheckFiles(files)
	if err = errors.Join(err, checked.SizeError); err != nil {
		t.Fatal(err)
	}
	return checked.Valid
}

// tracked is a file of the repository, by its path.
type tracked string

func (f tracked) Path() string                 { return string(f) }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(root, string(f))) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(root, string(f))) }

// embedded lists the files that the program's packages embed, as paths relative to
// folder, the module's folder.
func embedded(t *testing.T, folder string) (files []string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=Dir,EmbedFiles,Module", "./cmd/apitrace")
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			Dir        string
			EmbedFiles []string
			Module     *struct{ Path, Dir string }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Path != modulePath {
			continue
		}
		for _, name := range p.EmbedFiles {
			inside, err := filepath.Rel(p.Module.Dir, filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, filepath.ToSlash(inside))
		}
	}
	for _, expected := range []string{"trace/recordings/data/index.zst", "ui/web/page/dist/page.js", "internal/message/zh.po"} {
		if !slices.Contains(files, expected) {
			t.Fatalf("%s is not among the embedded files: %q", expected, files)
		}
	}
	return files
}

// TestNightlyGoInstall installs the program with "go install MODULE@VERSION" from a
// module proxy in files, into an empty module cache. Then, in an empty folder, it runs
// commands that need no server.
func TestNightlyGoInstall(t *testing.T) {
	testenv.Nightly(t)
	const version = "v0.0.1"
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	publish(t, proxy, version)
	cache, err := goEnv(t.Context(), "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	downloaded := filepath.Join(cache, "cache", "download")
	// With -trimpath, packages of other modules can come from the build cache, although
	// the module cache is new.
	install := exec.Command("go", "install", modulePath+"/cmd/apitrace@"+version)
	install.Dir = dir
	install.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(downloaded), "GONOSUMDB=*", "GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE="+filepath.Join(dir, "mod"), "GOBIN="+filepath.Join(dir, "bin"), "GOSUMDB=off")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	empty := t.TempDir()
	for command, expected := range map[string]string{
		"version":                    "apitrace " + version,
		"show get-node":              "ServeHTTP server/handler.go",
		"show get-node -o html":      "<!doctype html>",
		"learn --help":               "workshop",
		"show get-node --k8s 1.30":   "kube-apiserver v1.30",
		"scenarios show get-node":    "GET",
		"explain Store.Create":       "k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Create",
		"show get-node --lang zh -h": "用法",
	} {
		run := exec.Command(filepath.Join(dir, "bin", "apitrace"), strings.Fields(command)...)
		run.Dir = empty
		run.Env = append(os.Environ(), "HOME="+empty, "XDG_CACHE_HOME="+empty, "LC_ALL=C")
		if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), expected) {
			t.Errorf("apitrace %s: %v, expected %q in\n%.2000s", command, err, expected, out)
		}
	}
}

// publish writes the module at the commit HEAD to the folder proxy, in the layout of a
// module proxy.
func publish(t *testing.T, proxy, version string) {
	t.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	repository := clone(t)
	var zipped bytes.Buffer
	if err := zip.CreateFromVCS(&zipped, gomodule.Version{Path: modulePath, Version: version}, repository, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	required, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".zip": zipped.Bytes(), version + ".mod": required,
		version + ".info": []byte(`{"Version":"` + version + `"}`),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
