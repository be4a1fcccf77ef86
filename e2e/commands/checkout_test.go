package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// checkout makes a checkout of the kubernetes repository from released modules:
// kubernetes, its staging repositories at their places, and a history of one commit with a
// tag. The module cache lacks modules that kube-apiserver does not use. In the checkout,
// these are empty.
func checkout(t *testing.T, version string) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(strings.TrimSpace(string(out)), "k8s.io")
	dir := filepath.Join(t.TempDir(), "my kubernetes")
	copyWritable(t, filepath.Join(modules, "kubernetes@"+version), dir)
	work, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range regexp.MustCompile(`\./staging/src/k8s\.io/[a-z0-9-]+`).FindAllString(string(work), -1) {
		to := filepath.Join(dir, use)
		from := filepath.Join(modules, filepath.Base(use)+"@v0"+strings.TrimPrefix(version, "v1"))
		if _, err := os.Stat(from); err == nil {
			copyWritable(t, from, to)
			continue
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		change(t, filepath.Join(to, "go.mod"), "", "module k8s.io/"+filepath.Base(use)+"\n\ngo 1.21\n")
	}
	git(t, dir, "init", "-q", "-b", "master")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	git(t, dir, "tag", version)
	return dir
}

func copyWritable(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.Walk(from, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || info.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, info.Mode()|0o200)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args, err, out)
	}
}

// change replaces a text in a file. If old is "", it writes the file.
func change(t *testing.T, file, old, by string) {
	t.Helper()
	if old != "" {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("reading %s: expected the text %q in it: %v", file, old, err)
		}
		by = strings.Replace(string(data), old, by, 1)
	}
	if err := os.WriteFile(file, []byte(by), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNightlyCheckout checks the commands diff, affected and run on a checkout with changes
// that are not committed.
func TestNightlyCheckout(t *testing.T) {
	testenv.Nightly(t)
	m := newMachine(t)
	const version = "v1.37.1"
	dir := checkout(t, version)
	strategy := filepath.Join(dir, "pkg/registry/apps/deployment/strategy.go")
	change(t, strategy, "func (deploymentStrategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {\n",
		"func ownStep(ctx context.Context) { ownInner(ctx) }\n\nfunc ownInner(ctx context.Context) { _ = ctx.Err() }\n\n"+
			"func (deploymentStrategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {\n\townStep(ctx)\n")
	out, notices, status := m.run("diff", "create-deployment", dir+"@"+version, dir, "-o", "names")
	if status != 1 {
		t.Errorf("exit status %d, want 1\n%s", status, notices)
	}
	if !strings.Contains(out, "k8s.io/kubernetes/pkg/registry/apps/deployment.ownStep") {
		t.Errorf("the output of diff lacks the new call:\n%s", out)
	}
	if out, notices, status := m.run("diff", "create-deployment", dir+"@HEAD", dir, "-o", "markdown"); status != 1 || !strings.Contains(out, "1 added") {
		t.Errorf("diff -o markdown: exit status %d, %s, expected 1 and \"1 added\" in\n%s", status, notices, out)
	}
	// The changed function makes a new call, but that call has no span. So the paths are
	// the same, and diff must report the change of the text.
	git(t, dir, "stash", "-q")
	store := filepath.Join(dir, "staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go")
	change(t, store, "if createValidation != nil {", "if createValidation != nil && !dryrun.IsDryRun(options.DryRun) {")
	out, notices, status = m.run("affected", dir+"@HEAD", dir, "-o", "names")
	if status != 0 || !slices.Contains(strings.Fields(out), "create-deployment") || !slices.Contains(strings.Fields(out), "create-dry-run") {
		t.Errorf("affected: exit status %d, %s, expected 0 and both scenarios of creations in\n%s", status, notices, out)
	}
	out, notices, status = m.run("diff", "create-deployment", dir+"@HEAD", dir, "-o", "markdown")
	for _, want := range []string{"the same path", "- the text of registry.(\\*Store).create changed (registry/store.go:", "it has more calls of dryrun.IsDryRun; no trace shows calls of dryrun.IsDryRun", "- other recorded scenarios that call changed functions: "} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("a change that the traces do not show: exit status %d, no %q in\n%s\n%s", status, want, out, notices)
		}
	}
	git(t, dir, "checkout", "-q", ".")
	git(t, dir, "stash", "pop", "-q")
	change(t, strategy, "_ = ctx.Err()", "_ = ctx.Errr()")
	_, notices, status = m.run("run", "get-node", "--k8s", dir)
	if status != 1 || !strings.Contains(notices, "does not compile:\n\tpkg/registry/apps/deployment/strategy.go:") {
		t.Errorf("a change that does not compile: exit status %d, expected 1 and the place in\n%s", status, notices)
	}
}

// TestSlowShallowCheckout checks a shallow clone. The clone has no tags, and lacks a
// function that the guide names. apitrace must report both in notices and trace the
// requests.
func TestSlowShallowCheckout(t *testing.T) {
	testenv.Slow(t)
	m := newMachine(t)
	clone := filepath.Join(t.TempDir(), "shallow clone")
	dir := checkout(t, "v1.37.1")
	git(t, dir, "clone", "-q", "--depth", "1", "--no-tags", "file://"+strings.ReplaceAll(dir, " ", "%20"), clone)
	eviction := filepath.Join(clone, "pkg/registry/core/pod/storage/eviction.go")
	text, err := os.ReadFile(eviction)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.ReplaceAll(string(text), "addConditionAndDeletePod(", "addConditionThenDeletePod(")
	change(t, eviction, "", renamed)
	out, notices, status := m.run("run", "get-node", "--k8s", clone, "-o", "names")
	if status != 0 || !strings.Contains(out, "etcd3.(*store).Get") {
		t.Errorf("run of a shallow clone: exit status %d\n%s\n%s", status, notices, out)
	}
	for _, want := range []string{
		"no tag of a release is known there, as in a shallow clone: the guide's entries for v1.37.",
		`no function "k8s.io/kubernetes/pkg/registry/core/pod/storage.addConditionAndDeletePod", which the guide names`,
	} {
		if strings.Count(notices, want) != 1 {
			t.Errorf("expected the notice %q once in\n%s", want, notices)
		}
	}
	if _, notices, status := m.run("run", "get-node", "--k8s", clone+"@v1.37.1"); status != 2 || !strings.Contains(notices, "is a shallow clone, which has no commit") {
		t.Errorf("a tag that the clone lacks: exit status %d, expected 2 and the reason in\n%s", status, notices)
	}
}
