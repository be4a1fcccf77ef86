package checkout

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// A listener keeps the notices.
type listener struct{ notices []string }

func (l *listener) Notice(format string, args ...any) {
	l.notices = append(l.notices, fmt.Sprintf(format, args...))
}
func (l *listener) Building() session.BuildReporter { return silent{} }

type silent struct{}

func (silent) Report(program.Event) {}
func (silent) Close()               {}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args, err, out)
	}
}

const baseFile = "staging/src/k8s.io/component-base/version/base.go"

// kubernetes makes a repository with the files that a kube-apiserver of three
// packages needs, tagged v1.36.3, and an empty cache.
func kubernetes(t *testing.T) string {
	t.Helper()
	t.Setenv(program.CacheEnv, t.TempDir())
	dir := repository(t)
	run(t, dir, "tag", "-d", "v1.37.1")
	put(t, dir, "go.mod", "module k8s.io/kubernetes\n\ngo 1.24\n\nrequire k8s.io/component-base v0.0.0\n\nreplace k8s.io/component-base => ./staging/src/k8s.io/component-base\n")
	put(t, dir, "go.work", "go 1.24\n\nuse (\n\t.\n\t./staging/src/k8s.io/component-base\n)\n")
	put(t, dir, "staging/src/k8s.io/component-base/go.mod", "module k8s.io/component-base\n\ngo 1.24\n")
	put(t, dir, baseFile, "package version\n\nconst DefaultKubeBinaryVersion = \"1.36\"\n")
	put(t, dir, "cmd/kube-apiserver/apiserver.go", "package main\n\nimport \"k8s.io/kubernetes/cmd/kube-apiserver/app\"\n\nfunc main() { app.Run() }\n")
	put(t, dir, "cmd/kube-apiserver/app/server.go", "package app\n\nimport \"k8s.io/component-base/version\"\n\nfunc Run() { println(version.DefaultKubeBinaryVersion) }\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "two")
	run(t, dir, "tag", "v1.36.3")
	return dir
}

func mustVersion(t *testing.T, argument string) (string, []string) {
	t.Helper()
	to := &listener{}
	version, err := versionOf(t.Context(), argument, to)
	if err != nil {
		t.Fatalf("%s: %v", argument, err)
	}
	return version, to.notices
}

func TestVersionOfACheckout(t *testing.T) {
	dir := kubernetes(t)
	clean, notices := mustVersion(t, dir)
	if !strings.HasPrefix(clean, "v1.36.3+") || strings.Contains(clean, "dirty") || !program.IsLocal(clean) {
		t.Errorf("the version is %q, expected a clean one of v1.36.3", clean)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], clean) {
		t.Errorf("the notices are %q, expected one with the version", notices)
	}
	if again, _ := mustVersion(t, filepath.Join(dir, "pkg")); again != clean {
		t.Errorf("from a folder below, the version is %q, expected %q", again, clean)
	}
	put(t, dir, "cmd/kube-apiserver/app/more.go", "package app\n")
	dirty, _ := mustVersion(t, dir)
	if !strings.HasPrefix(dirty, strings.Join(strings.Split(clean, ".")[:3], ".")+".dirty.") {
		t.Errorf("with a change, the version is %q, expected a dirty one of the same commit", dirty)
	}
	before := tree(t, dir)
	if head, _ := mustVersion(t, dir+"@HEAD"); head != clean {
		t.Errorf("the version of the commit is %q, expected %q", head, clean)
	}
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "three")
	before2 := tree(t, dir)
	old, notices := mustVersion(t, dir+"@HEAD~1")
	if old != clean {
		t.Errorf("the version of the commit before is %q, expected %q; notices: %q", old, clean, notices)
	}
	if next, _ := mustVersion(t, dir); next == clean || next == dirty {
		t.Errorf("the version of the next commit is %q, expected a new one", next)
	}
	if got := tree(t, dir); got != before2 || before == "" {
		t.Errorf("versionOf changed the checkout's files to\n%s\nexpected\n%s", got, before2)
	}
}

// tree lists all files of a folder with their times, including git's own files.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&all, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Without tags, as in a shallow clone, the release comes from the source.
func TestVersionOfAShallowClone(t *testing.T) {
	dir := kubernetes(t)
	clone := filepath.Join(t.TempDir(), "clone")
	run(t, dir, "clone", "-q", "--depth", "1", "--no-tags", "file://"+strings.ReplaceAll(dir, " ", "%20"), clone)
	version, notices := mustVersion(t, clone)
	if !strings.HasPrefix(version, "v1.36.0+") || len(notices) != 2 || !strings.Contains(notices[1], baseFile) {
		t.Errorf("the version is %q, the notices are %q, expected v1.36.0 because of baseFile", version, notices)
	}
	put(t, clone, "CHANGELOG/CHANGELOG-1.36.md", "- [v1.36.2](#v1362)\n\n# v1.36.2\n\n# v1.36.1\n")
	if version, _ := mustVersion(t, clone); !strings.HasPrefix(version, "v1.36.2+") {
		t.Errorf("with a change log, the version is %q, expected v1.36.2", version)
	}
	put(t, clone, baseFile, "package version\n\nconst DefaultKubeBinaryVersion = \"1.99\"\n")
	if version, notices := mustVersion(t, clone); !strings.HasPrefix(version, "v1.99.0+") || !strings.Contains(strings.Join(notices, "\n"), "v1.99 is newer than") {
		t.Errorf("for a new minor version, the version is %q, the notices are %q, expected v1.99.0 and a warning", version, notices)
	}
	if _, err := versionOf(t.Context(), clone+"@v1.36.3", &listener{}); err == nil || !strings.Contains(err.Error(), "is a shallow clone") {
		t.Errorf("a missing tag: got %v, expected that the clone is shallow", err)
	}
}

func TestWhatIsNoCheckout(t *testing.T) {
	dir := kubernetes(t)
	for _, release := range []string{"v1.37.1", "1.30", "latest", ""} {
		if isNamed(release) {
			t.Errorf("isNamed(%q) is true, expected false for a release", release)
		}
		if got, err := versionOf(t.Context(), release, &listener{}); err != nil || got != release {
			t.Errorf("versionOf(%q) returned %q, %v, expected the argument", release, got, err)
		}
	}
	for _, test := range []struct{ name, file, text, want string }{
		{"another module", "go.mod", "module example.org/other\n", `is not a checkout of kubernetes: expected a go.mod of module "k8s.io/kubernetes" in its top folder, found "example.org/other"`},
		{"a missing package", "cmd/kube-apiserver/app/server.go", "package app\n\nimport \"k8s.io/kubernetes/pkg/generated/openapi\"\n\nfunc Run() { openapi.Run() }\n", `"hack/update-codegen.sh openapi" makes it`},
		{"a missing import", "cmd/kube-apiserver/app/server.go", "package app\n\nimport \"k8s.io/kubernetes/pkg/nowhere\"\n", "cmd/kube-apiserver/app/server.go:3:8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join(dir, test.file))
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, test.file, test.text)
			defer put(t, dir, test.file, string(before))
			if _, err := versionOf(t.Context(), dir, &listener{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, expected %q", err, test.want)
			}
		})
	}
	run(t, dir, "tag", "-d", "v1.36.3")
	run(t, dir, "tag", "v1.14.0")
	if _, err := versionOf(t.Context(), dir, &listener{}); err == nil || !strings.Contains(err.Error(), "a checkout of v1.14.0 cannot be traced") {
		t.Errorf("a checkout of an old release: got %v, expected that it cannot be traced", err)
	}
}

// The release of a commit in a shallow clone comes from its files, without its whole tree.
func TestSourceReleaseOfACommit(t *testing.T) {
	dir := kubernetes(t)
	put(t, dir, "CHANGELOG/CHANGELOG-1.36.md", "# v1.36.2\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "three")
	put(t, dir, baseFile, "package version\n\nconst DefaultKubeBinaryVersion = \"1.37\"\n")
	for name, want := range map[string]string{
		dir: "v1.37.0, " + baseFile, dir + "@HEAD": "v1.36.2, CHANGELOG/CHANGELOG-1.36.md", dir + "@HEAD~1": "v1.36.0, " + baseFile,
	} {
		c, err := parse(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if release, file, err := c.SourceRelease(t.Context()); err != nil || release+", "+file != want {
			t.Errorf("%s: %s, %s (%v), expected %s", name, release, file, err, want)
		}
	}
	first, err := parse(t.Context(), dir+"@HEAD~2")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := first.SourceRelease(t.Context()); err == nil || !strings.Contains(err.Error(), "the version of the source in") {
		t.Errorf("source without a release: got %v, expected an error about its version", err)
	}
}

// A checkout matches the versions that were built from it in any state, even in a state
// that no longer exists.
func TestServersOfACheckout(t *testing.T) {
	dir := kubernetes(t)
	clean, _ := mustVersion(t, dir)
	run(t, dir, "commit", "-q", "--allow-empty", "-m", "three")
	next, _ := mustVersion(t, dir+"@HEAD")
	put(t, dir, "cmd/kube-apiserver/app/more.go", "package app\n")
	dirty, _ := mustVersion(t, dir)
	other := filepath.Join(t.TempDir(), "other")
	run(t, dir, "clone", "-q", dir, other)
	put(t, other, "cmd/kube-apiserver/app/more.go", "package app // other\n")
	others, _ := mustVersion(t, other)
	put(t, dir, "cmd/kube-apiserver/app/more.go", "no Go")
	all := []string{clean, next, dirty, others, "v1.36.3", "v1.36.3+0123456789.01234567"}
	for argument, want := range map[string][]string{
		dir: {clean, next, dirty}, filepath.Join(dir, "pkg"): {clean, next, dirty}, dir + "@v1.36.3": {clean}, dir + "@HEAD": {next},
		other: {next, others}, "1.36.3": {"v1.36.3"}, clean: {clean}, "v1.37.1": nil,
	} {
		serves, err := wantedBy(t.Context(), argument)
		if err != nil {
			t.Errorf("%s: %v", argument, err)
			continue
		}
		if got := slices.DeleteFunc(slices.Clone(all), func(version string) bool { return !serves(version) }); !slices.Equal(got, want) {
			t.Errorf("%s matches the versions %q, expected %q", argument, got, want)
		}
	}
	for argument, want := range map[string]string{dir + "@nothing": `has no commit "nothing"`, "newest": "is not a Kubernetes version", "./nowhere": "there is no folder"} {
		if _, err := wantedBy(t.Context(), argument); !errors.As(err, new(*message.UsageError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", argument, err, want)
		}
	}
}

// If the vendor folder does not fit the go.mod, the error does not mention the go
// command's flags.
func TestStaleVendorFolder(t *testing.T) {
	dir := kubernetes(t)
	put(t, dir, "vendor/modules.txt", "## workspace\n# example.com/other v1.0.0\n## explicit; go 1.20\n")
	_, err := versionOf(t.Context(), dir, &listener{})
	if err == nil || !strings.Contains(err.Error(), "inconsistent vendoring") || !strings.HasSuffix(err.Error(), `in the checkout, "hack/update-vendor.sh" brings the vendor folder up to date`) {
		t.Errorf("got %v, expected advice about the vendor folder", err)
	}
}

func TestTakeArguments(t *testing.T) {
	dir := kubernetes(t)
	version, _ := mustVersion(t, dir)
	for _, test := range []struct {
		arguments, want []string
		names           [2]string
	}{
		{[]string{dir + "@HEAD", dir}, []string{version, version}, [2]string{dir + "@HEAD", dir}},
		{[]string{"v1.37.1", dir}, []string{"v1.37.1", version}, [2]string{"", dir}},
		{[]string{"1.36", version}, []string{"1.36", version}, [2]string{}},
		{[]string{dir}, []string{dir}, [2]string{}},
	} {
		taken, err := TakeArguments(t.Context(), test.arguments, &listener{})
		names := [2]string{taken[0].Name, taken[1].Name}
		if err != nil || names != test.names || !slices.Equal(test.arguments, test.want) {
			t.Errorf("got the checkouts %q and the arguments %q (%v), expected %q and %q", names, test.arguments, err, test.names, test.want)
		}
	}
}
