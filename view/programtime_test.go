package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProgramTimes checks that the time of a program does not count two calls that ran at the
// same time twice, and counts neither calls of its own functions nor unfinished calls.
func TestProgramTimes(t *testing.T) {
	tree := outline(t, "root\n  a#\n    own#\n  b#\n  c#\n  watch#\n")
	for i, times := range [][2]int64{{0, 100}, {10, 20}, {12, 5}, {20, 20}, {50, 10}, {60, 900}} {
		tree.Call(i).StartNs, tree.Call(i).DurationNs = times[0], times[1]
	}
	tree.Call(5).Unfinished = true
	if diff := cmp.Diff([]ProgramTime{{"kube-apiserver", 1, 100}, {"etcd", 5, 40}}, programTimes(tree)); diff != "" {
		t.Errorf("programTimes, - expected, + got:\n%s", diff)
	}
}
