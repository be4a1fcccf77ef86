package render

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// CompareURL returns where upstream shows what happened to the file of a call between the
// versions of two recordings, or "" if that is not known: the comparison of the two
// tags, at the file.
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

// splitSourceURL takes what SourceURL returns apart.
func splitSourceURL(url string) (repository, tag, path string, ok bool) {
	repository, rest, ok := strings.Cut(url, "/blob/")
	if !ok {
		return "", "", "", false
	}
	tag, path, _ = strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "#")
	return repository, tag, path, true
}
