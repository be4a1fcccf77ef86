package checkout

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
)

const storeFile = "staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go"

// repository makes a repository with one commit, tagged v1.37.1, of files like kubernetes's.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git is installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	dir := filepath.Join(t.TempDir(), "my kubernetes")
	put(t, dir, storeFile, `package etcd3

type store struct{}

func (s *store) Get() { a() }

func (s *store) GuaranteedUpdate() { b() }

func a() {}
func b() {}
`)
	put(t, dir, "go.mod", "module k8s.io/kubernetes\n")
	put(t, dir, "pkg/proxy/kubelet.go", "package proxy\n\nfunc Run() {}\n")
	for _, args := range [][]string{
		{"init", "-q", "-b", "master"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "one"},
		{"tag", "v1.37.1"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAffectedByAChange(t *testing.T) {
	dir := repository(t)
	put(t, dir, storeFile, `package etcd3

type store struct{ more int }

// Get has another body.
func (s *store) Get() { b() }

func (s *store) GuaranteedUpdate() {
	b() // the same
}

func a() {}
func b() {}

func fresh() {}
`)
	put(t, dir, "pkg/proxy/kubelet.go", "package proxy\n\nfunc Run() { Run() }\n")
	put(t, dir, "pkg/new/new.go", "package fresh\n\nfunc New() {}\n")
	before, after, err := Sides(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if release := before.Release(t.Context()); release != "v1.37.1" {
		t.Errorf("the release is %q, expected v1.37.1", release)
	}
	changes, others, err := Changes(t.Context(), before, after)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(others, []string{storeFile}) {
		t.Errorf("other declarations differ in %q, expected storeFile only", others)
	}
	report, err := Affected("v1.37.1", changes)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]State{}
	for _, f := range report.Functions {
		states[f.Name] = f.State
	}
	want := map[string]State{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get": Called, "k8s.io/apiserver/pkg/storage/etcd3.fresh": NotThere,
		"k8s.io/kubernetes/pkg/proxy.Run": NotTraced, "k8s.io/kubernetes/pkg/new.New": NotTraced,
	}
	for name, state := range want {
		if got, ok := states[name]; !ok || got != state {
			t.Errorf("%s: state %d (%t), expected %d", name, got, ok, state)
		}
	}
	if len(states) != len(want) {
		t.Errorf("the changed functions are %v, expected no other than the four", states)
	}
	if all := report.scenarios(); !slices.Contains(all, "get-node") || slices.Contains(all, "version") {
		t.Errorf("the scenarios that call the functions are %q, expected get-node, but not version", all)
	}
	for _, lang := range []string{"en", "zh"} {
		var out strings.Builder
		if err := report.Write(&out, message.For(lang)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"etcd3.(*store).Get", "k8s.io/kubernetes/pkg/proxy.Run", "etcd3.fresh", "get-node"} {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%q is not in\n%s", text, out.String())
			}
		}
	}
}

// TestCommitsAreRead checks that a commit is read as it was committed, whatever the
// work tree contains.
func TestCommitsAreRead(t *testing.T) {
	dir := repository(t)
	put(t, dir, storeFile, "package etcd3\n")
	before, after, err := Sides(t.Context(), []string{dir + "@v1.37.1", dir + "@HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	changes, others, err := Changes(t.Context(), before, after)
	if err != nil || len(changes) > 0 || len(others) > 0 {
		t.Errorf("got the changes %v, the other files %v and the error %v, expected none", changes, others, err)
	}
}

func TestWrongCheckouts(t *testing.T) {
	dir := repository(t)
	put(t, dir, "pkg/proxy/kubelet.go", "no Go")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"/nowhere"}, `there is no folder "/nowhere"`},
		{[]string{dir + "@nothing"}, `has no commit "nothing": "git -C '` + dir + `' fetch" may get it`},
		{[]string{dir + "@--all"}, `has no commit "--all"`},
		{[]string{dir, dir}, "is on both sides"},
		{[]string{dir, repository(t) + "@HEAD"}, "are two work trees"},
		{[]string{dir}, `"pkg/proxy/kubelet.go" cannot be read as Go`},
		{[]string{t.TempDir()}, "lies in no git repository"},
	} {
		err := func(ctx context.Context) error {
			before, after, err := Sides(ctx, test.args)
			if err == nil {
				_, _, err = Changes(ctx, before, after)
			}
			return err
		}(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, expected %q", test.args, err, test.want)
		}
	}
}
