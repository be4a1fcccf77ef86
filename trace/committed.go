package trace

import (
	"fmt"
	"strings"
)

// A CommittedTree describes the commit of a kubernetes checkout: its web address at a
// remote, and the files of the checkout that differ from the commit.
type CommittedTree struct {
	// URL is the address of the top folder at the commit, with a final slash.
	// It is "" if no remote is known to have the commit.
	URL string
	// Uncommitted has the files that differ from the commit, by their paths from
	// the top folder.
	Uncommitted map[string]bool
}

// A Committed says whether a call's line is in a commit.
type Committed int

// The values of Committed.
const (
	// CommittedElsewhere: the call is not in the checkout's own source. The vendor folder
	// does not count, because a commit may lack it.
	CommittedElsewhere Committed = iota
	// CommittedLine: the file is the same in the commit.
	CommittedLine
	// UncommittedLine: the file was changed, or is new. Its line numbers may not match the
	// commit.
	UncommittedLine
)

// Line returns the address of a call's line. It is "" unless the file is the
// same in the commit and a remote has that commit.
func (t *CommittedTree) Line(call *Call) (string, Committed) {
	path, ok := call.KubernetesFile()
	if !ok || ProcessOf(call.Process).Behind || strings.HasPrefix(path, "vendor/") {
		return "", CommittedElsewhere
	}
	switch {
	case t.Uncommitted[path]:
		return "", UncommittedLine
	case t.URL == "":
		return "", CommittedLine
	}
	return fmt.Sprintf("%s%s#L%d", t.URL, path, call.Line), CommittedLine
}
