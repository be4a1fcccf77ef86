package trace

import (
	"fmt"
	"strings"
)

// A CommittedTree tells where the source of a checkout of kubernetes can be read in a browser: its commit, at a remote.
type CommittedTree struct {
	// URL is the address of the top folder at the commit, with a slash at its end; "" if no remote is known to have the commit.
	URL string
	// Uncommitted holds the files of the checkout that are not as in the commit, by their paths from its top folder.
	Uncommitted map[string]bool
}

// A Committed says whether the line of a call is in a commit.
type Committed int

// Line numbers of files that were changed are those of no commit.
const (
	// CommittedElsewhere: the call is not of the checkout's own source. Of its vendor folder a commit may have nothing.
	CommittedElsewhere Committed = iota
	// CommittedLine: the file is as in the commit.
	CommittedLine
	// UncommittedLine: the file was changed, or is new.
	UncommittedLine
)

// Line returns the address of the line of a call, "" unless the file is as in the commit and a remote has that commit.
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
