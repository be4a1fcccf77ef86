package checkout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestOnPath compares a recording with itself. Two checkouts have equal traces if they
// differ only in calls without a span.
func TestOnPath(t *testing.T) {
	dir := repository(t)
	rec, err := recordings.Load("v1.37.1", "get-node")
	if err != nil {
		t.Fatal(err)
	}
	remarks := func(a, b string) string {
		t.Helper()
		c := &sides.Compared{Comparison: diff.CompareRecordings(rec, rec, diff.Options{}), CheckoutA: sides.Checkout{Name: a}, CheckoutB: sides.Checkout{Name: b}}
		all, err := OnPath(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, m := range all {
			lines = append(lines, m.In("en"))
		}
		return strings.Join(lines, "\n")
	}
	if got := remarks("", ""); got != "" {
		t.Errorf("two releases: got %s, expected no remarks", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "package etcd3\n", "package etcd3\n\nimport \"k8s.io/apiserver/pkg/util/dryrun\"\n", 1)
	put(t, dir, storeFile, strings.Replace(changed, "{ a() }", "{ b(); dryrun.IsDryRun(nil) }", 1))
	want := `the text of etcd3.(*store).Get changed (etcd3/store.go:7); it has more calls of b, dryrun.IsDryRun; it has fewer calls of a; ` +
		`no trace shows calls of dryrun.IsDryRun: its package is not traced, or it has no span` + "\nother recorded scenarios that call changed functions: "
	for _, a := range []string{dir + "@HEAD", ""} { // "" is the release; the repository has its tag
		if got := remarks(a, dir); !strings.HasPrefix(got, want) {
			t.Errorf("a changed function that ran, from %q:\n%s\nexpected\n%s", a, got, want)
		}
	}
	put(t, dir, storeFile, strings.Replace(string(text), "{ b() }", "{ a() }", 1))
	if got := remarks(dir+"@HEAD", dir); !strings.HasPrefix(got, "no function that ran has another text\nother recorded scenarios that call changed functions: ") {
		t.Errorf("a changed function that did not run: got\n%s\nexpected that no function that ran differs", got)
	}
	if got := remarks(dir, repository(t)); !strings.Contains(got, "are two work trees") {
		t.Errorf("two repositories: got\n%s\nexpected that the texts were not compared", got)
	}
}
