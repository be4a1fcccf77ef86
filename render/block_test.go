package render

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

// TestChineseListsKeepNames checks that wrapNames breaks a Chinese list between its
// names. Such a list has no blanks.
func TestChineseListsKeepNames(t *testing.T) {
	const list = "条路由：v1、authentication.k8s.io/v1、authorization.k8s.io/v1、very.long.name.of.a.group.k8s.io/v1"
	got := wrapNames(list, 30)
	want := []string{"条路由：v1、", "authentication.k8s.io/v1、", "authorization.k8s.io/v1、", "very.long.name.of.a.group.k8s.", "io/v1"}
	if !slices.Equal(got, want) {
		t.Errorf("wrapNames returned %q, expected %q", got, want)
	}
}

// TestValueFitsBelowANarrowerLead checks that each line of a broken value fits,
// also if the lead of the first line is narrower than the lead of the other lines.
func TestValueFitsBelowANarrowerLead(t *testing.T) {
	var out strings.Builder
	d := &treeDrawing{out: bufio.NewWriter(&out)}
	d.width = 40
	b := d.block("└─", "    ")
	b.value(d.Value, `upstream span "AAAAAAAAAAAA\u00ad\u00ad \U000110bd"`)
	b.flush()
	_ = d.out.Flush()
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if columnsOf(line) > 40 {
			t.Errorf("a line has %d columns, expected at most 40: %q", columnsOf(line), line)
		}
	}
}
