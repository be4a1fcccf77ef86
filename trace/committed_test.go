package trace

import "testing"

// TestLineOfACommittedTree checks that a line has an address only if its file is the same
// in the commit and a remote has the commit.
func TestLineOfACommittedTree(t *testing.T) {
	const tree = "https://github.com/me/kubernetes/blob/0123/"
	changed := map[string]bool{"staging/src/k8s.io/apiserver/pkg/x/changed.go": true}
	for _, test := range []struct {
		url, file, process, want string
		state                    Committed
	}{
		{tree, "k8s.io/kubernetes/pkg/x/x.go", ProcessAPIServer, tree + "pkg/x/x.go#L3", CommittedLine},
		{tree, "k8s.io/apiserver/pkg/x/x.go", ProcessAPIServer, tree + "staging/src/k8s.io/apiserver/pkg/x/x.go#L3", CommittedLine},
		{"", "k8s.io/kubernetes/pkg/x/x.go", ProcessAPIServer, "", CommittedLine},
		{tree, "k8s.io/apiserver/pkg/x/changed.go", ProcessAPIServer, "", UncommittedLine},
		{"", "k8s.io/apiserver/pkg/x/changed.go", ProcessAPIServer, "", UncommittedLine},
		{tree, "go.etcd.io/etcd/client/v3/kv.go", ProcessAPIServer, "", CommittedElsewhere},
		{tree, "k8s.io/apiserver/pkg/x/x.go", ProcessSample, "", CommittedElsewhere},
		{tree, "net/http/server.go", ProcessAPIServer, "", CommittedElsewhere},
		{tree, "", ProcessAPIServer, "", CommittedElsewhere},
	} {
		c := &CommittedTree{URL: test.url, Uncommitted: changed}
		if url, state := c.Line(&Call{Process: test.process, File: test.file, Line: 3}); url != test.want || state != test.state {
			t.Errorf("Line of file %q in %s = %q, state %d, expected %q, state %d", test.file, test.process, url, state, test.want, test.state)
		}
	}
}
