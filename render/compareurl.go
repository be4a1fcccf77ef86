package render

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// CompareURL returns the address at which upstream shows the changes of a call's file between
// the versions of two recordings: the comparison of the two tags, at the file. It returns "" if
// the address is not known.
func CompareURL(recA, recB *trace.Recording, call *trace.Call) string {
	a, b := SourceURL(recA, call), SourceURL(recB, call)
	tree, from, path, ok := splitSourceURL(a)
	_, to, _, okB := splitSourceURL(b)
	if !ok || !okB || from == to {
		return ""
	}
	// GitHub names the place of a file by the hash of its path.
	return fmt.Sprintf("%s/compare/%s...%s#diff-%x", tree, from, to, sha256.Sum256([]byte(path)))
}

// splitSourceURL splits an address that SourceURL has returned.
func splitSourceURL(url string) (repository, tag, path string, ok bool) {
	repository, rest, ok := strings.Cut(url, "/blob/")
	if !ok {
		return "", "", "", false
	}
	tag, path, _ = strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "#")
	return repository, tag, path, true
}
