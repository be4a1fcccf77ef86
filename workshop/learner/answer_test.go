package learner

import (
	"strings"
	"testing"
)

func TestOrderIn(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"A  one\nB  two\nC  three":           "", // as it was shown
		"C  one\nA  two\nB  three":           "C A B",
		"B A C":                              "B A C",
		"bac":                                "bac",
		"B, A, C":                            "B, A, C",
		"A  one\nB  two\nC  three\nC A B":    "C A B",
		"C\nA\nB":                            "C A B",
		"second one\nfirst two\nthird three": "second first third",
	} {
		var lines [][]string
		for line := range strings.Lines(in) {
			lines = append(lines, strings.Fields(line))
		}
		if got := orderIn(lines, 3); got != want {
			t.Errorf("orderIn(%q) = %q, expected %q", in, got, want)
		}
	}
}
