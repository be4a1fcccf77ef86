package render

import (
	"slices"
	"testing"
)

// TestChineseListsKeepNames checks the breaks in a Chinese list. It has no blanks, so
// it is one word that is longer than any line.
func TestChineseListsKeepNames(t *testing.T) {
	const list = "条路由：v1、authentication.k8s.io/v1、authorization.k8s.io/v1、very.long.name.of.a.group.k8s.io/v1"
	got := wrapNames(list, 30)
	want := []string{"条路由：v1、", "authentication.k8s.io/v1、", "authorization.k8s.io/v1、", "very.long.name.of.a.group.k8s.", "io/v1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}
