package room

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// bare makes this process see a machine without builds, network and Go. It returns the
// folder of the learner's progress.
func bare(t *testing.T) string {
	t.Helper()
	state := t.TempDir()
	t.Setenv(program.StateEnv, state)
	t.Setenv(program.CacheEnv, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GOPROXY", "off")
	return state
}

// checked runs a check and returns its output and its error.
func checked(ctx context.Context, c check, lang string) (string, error) {
	var out strings.Builder
	err := c.run(ctx, &out, message.For(lang))
	return out.String(), err
}

// TestCheckOfABareMachine checks a machine that has only apitrace. It can do all
// exercises that need no server. The check must name the other exercises and the next
// step.
func TestCheckOfABareMachine(t *testing.T) {
	state := bare(t)
	out, err := checked(t.Context(), check{K8s: "v1.37.1"}, "en")
	if err == nil || !strings.Contains(err.Error(), "exercises cannot be done") {
		t.Errorf("got %v, expected an error about exercises that cannot be done", err)
	}
	for _, want := range []string{
		"[ok] exercises that recordings decide: all ", "[ok] your progress: is kept in " + state, "[ok] ports: ",
		"[!!] kube-apiserver v1.37.1 and etcd, with tracing: are not in the cache\n     needed by the exercises 1.9, ",
		"[!!] the sample API server", "[!!] changing a server: no Go\n     needed by the exercises 2.11, ", "next: install Go",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(state); len(left) != 0 {
		t.Errorf("the check left the files %v in the folder of the progress", left)
	}
}

// filters returns a course of one chapter. Some of its exercises ask for a request or for
// a change of the server. No exercise needs the sample server.
func filters(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "02-filter-chain"), os.DirFS("../course/02-filter-chain")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestCheckOfAnotherCourse checks that the check requires only the parts that the
// exercises of the course need.
func TestCheckOfAnotherCourse(t *testing.T) {
	bare(t)
	out, err := checked(t.Context(), check{K8s: "v1.37.1", Course: filters(t)}, "zh")
	if err == nil || !strings.Contains(out, "[ok] 由录制裁决的练习：") || !strings.Contains(out, "[ok] 带追踪的示例 API 服务器：没有练习需要它") {
		t.Errorf("got the error %v and\n%s\nexpected that no exercise needs the sample server", err, out)
	}
}

// TestCheckWithAFolder checks that importing from a prepared folder is the next step, if
// the folder has servers for this platform.
func TestCheckWithAFolder(t *testing.T) {
	bare(t)
	folder, course := t.TempDir(), filters(t)
	if _, err := checked(t.Context(), check{K8s: "v1.37.1", Folder: folder, Course: course}, "en"); err == nil || !strings.Contains(err.Error(), "was not made by") {
		t.Errorf("an empty folder: got %v, expected that it was not prepared", err)
	}
	if err := os.WriteFile(filepath.Join(folder, markFile), []byte(`{"k8sVersion":"v1.37.1","go":"go1.26.99"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := checked(t.Context(), check{K8s: "v1.37.1", Folder: folder, Course: course}, "en")
	if !strings.Contains(out, "servers for another platform") || !strings.Contains(out, "install go1.26.99") {
		t.Errorf("without servers: got\n%s\nexpected advice to build them and to install Go", out)
	}
	file := filepath.Join(folder, serversFile())
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ = checked(t.Context(), check{K8s: "v1.37.1", Folder: folder, Course: course}, "en"); !strings.Contains(out, "next: apitrace cache import "+file+"\n") {
		t.Errorf("with servers: got\n%s\nexpected advice to import them", out)
	}
	t.Chdir(folder)
	if out, _ = checked(t.Context(), check{K8s: "v1.37.1", Course: course}, "en"); !strings.Contains(out, "next: apitrace cache import "+serversFile()+"\n") {
		t.Errorf("in the folder: got\n%s\nexpected advice to import the servers", out)
	}
}

// TestCheckOfAReadOnlyFolder checks that the check reports a state folder that cannot
// be written.
func TestCheckOfAReadOnlyFolder(t *testing.T) {
	bare(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(program.StateEnv, filepath.Join(file, "state"))
	if out, err := checked(t.Context(), check{K8s: "v1.37.1", Course: filters(t)}, "en"); err == nil || !strings.Contains(out, "[!!] your progress: ") || !strings.Contains(out, program.StateEnv) {
		t.Errorf("got the error %v and\n%s\nexpected that the progress cannot be saved", err, out)
	}
}

// site returns the real site of a release.
func site(folder, release string) Site { return web.Site{Out: folder, Releases: []string{release}} }

// TestPlan checks that sizes and times are printed before any work begins, and that the
// plan has all parts that are not built.
func TestPlan(t *testing.T) {
	bare(t)
	folder := filepath.Join(t.TempDir(), "room")
	for lang, wants := range map[string][]string{
		"en": {"building kube-apiserver v1.37.1 and etcd with tracing", "without tracing", "apitrace for 4 platforms", "in all, about", "free disk"},
		"zh": {"构建带追踪的 kube-apiserver v1.37.1 和 etcd", "合计约"},
	} {
		var out strings.Builder
		o := Preparation{Folder: folder, K8s: "v1.37.1", Plain: true, Checkout: "../..", Site: site, DryRun: true}
		if err := o.Run(t.Context(), &out, message.For(lang), nil); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Errorf("a dry run made %s, expected no folder", folder)
	}
}

// TestRefusedFolders checks that a preparation is not mixed with other files.
func TestRefusedFolders(t *testing.T) {
	bare(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Preparation{{Folder: folder, K8s: "v1.37.1", DryRun: true}, {K8s: "v1.37.1"}, {Folder: t.TempDir(), K8s: "v1.2", Site: site, DryRun: true}} {
		if err := o.Run(t.Context(), &strings.Builder{}, message.For("en"), nil); err == nil {
			t.Errorf("%+v was accepted, expected an error", o)
		}
	}
}

// TestInstructions checks that the instructions in both languages name the programs, the
// servers' file, the version of Go, the check and the platform.
func TestInstructions(t *testing.T) {
	o := Preparation{Folder: t.TempDir(), K8s: "v1.37.1", Checkout: "somewhere"}
	if err := write(filepath.Join(o.Folder, markFile), []byte(`{"go":"go1.26.99"}`)); err != nil {
		t.Fatal(err)
	}
	if err := o.writeInstructions(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "README.zh.md"} {
		text, err := os.ReadFile(filepath.Join(o.Folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(o.programNames(), serversFile(), "go1.26.99", "prepare --check .", runtime.GOOS+"/"+runtime.GOARCH) {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not name %s:\n%s", name, want, text)
			}
		}
	}
	if n := len(o.platforms()); n != 4 && n != 5 {
		t.Errorf("the folder has apitrace for %d platforms, expected 4, or 5 if this machine has another platform", n)
	}
}
