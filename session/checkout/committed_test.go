package checkout

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Uncommitted are the files that differ from the commit, that git does not track, and that
// git ignores.
func TestUncommittedFiles(t *testing.T) {
	dir := repository(t)
	put(t, dir, storeFile, "package etcd3\n")
	put(t, dir, "pkg/new/new.go", "package fresh\n")
	put(t, dir, ".git/info/exclude", "ignored.go\n")
	put(t, dir, "pkg/new/ignored.go", "package fresh\n")
	for name, want := range map[string][]string{
		dir: {"pkg/new/ignored.go", "pkg/new/new.go", storeFile}, dir + "@HEAD": nil,
	} {
		c, err := parse(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := c.committed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(tree.Uncommitted)); !slices.Equal(got, want) || tree.URL != "" {
			t.Errorf("%s: uncommitted are %q, the address is %q, expected %q and no address", name, got, tree.URL, want)
		}
	}
}

// The address of a commit is at a remote that has the commit, preferably at upstream.
func TestRemoteOfACommit(t *testing.T) {
	dir := repository(t)
	out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	first := strings.TrimSpace(string(out))
	page := func() string {
		t.Helper()
		c, err := parse(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := c.committed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tree.URL
	}
	run(t, dir, "remote", "add", "origin", "https://me:secret@github.com/me/kubernetes.git")
	if got := page(); got != "" {
		t.Errorf("before a push, the commit's address is %q, expected none", got)
	}
	run(t, dir, "update-ref", "refs/remotes/pull/5/merge", first)
	if got := page(); got != "https://github.com/me/kubernetes/blob/"+first+"/" {
		t.Errorf("in a GitHub workflow, the commit's address is %q, expected the only remote", got)
	}
	run(t, dir, "update-ref", "-d", "refs/remotes/pull/5/merge")
	run(t, dir, "remote", "add", "up/stream", "git@github.com:kubernetes/kubernetes.git")
	run(t, dir, "update-ref", "refs/remotes/origin/topic", first)
	if got := page(); got != "https://github.com/me/kubernetes/blob/"+first+"/" {
		t.Errorf("after a push, the commit's address is %q, expected the remote origin", got)
	}
	run(t, dir, "update-ref", "refs/remotes/up/stream/master", first)
	if got := page(); got != "https://github.com/kubernetes/kubernetes/blob/"+first+"/" {
		t.Errorf("after the merge, the commit's address is %q, expected upstream's", got)
	}
	run(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	if got := page(); got != "" {
		t.Errorf("the next commit's address is %q, expected none", got)
	}
}

func TestGithubPage(t *testing.T) {
	const page = "https://github.com/o/kubernetes"
	for address, want := range map[string]string{
		"https://github.com/o/kubernetes": page, "https://github.com/o/kubernetes.git/": page, "https://x:token@github.com/o/kubernetes.git": page,
		"git@github.com:o/kubernetes.git": page, "ssh://git@github.com:22/o/kubernetes": page, "github.com:o/kubernetes": page,
		"https://gitlab.com/o/kubernetes": "", "git@example.org:o/kubernetes.git": "", "/srv/github.com/o": "", "file:///o/kubernetes": "",
		"https://github.com.example.org/o/k": "", "https://github.com/o/k)(x": "", "": "",
	} {
		if got := githubPage(address); got != want {
			t.Errorf("%q: %q, expected %q", address, got, want)
		}
	}
}
