package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns up to n of the known words that are most like word, the likest first, each
// once. Small and capital letters count as the same, and a word of which more than half would
// have to be written anew is not like it.
func Nearest(word string, known []string, n int) []string {
	unlike := func(other string) bool { return 2*distance(word, other) > max(len(word), len(other)) }
	near := slices.DeleteFunc(ByDistance(word, known), unlike)
	return near[:min(n, len(near))]
}

// ByDistance returns the known words, each once, those that are most like word first.
func ByDistance(word string, known []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(known)))
	slices.SortStableFunc(unique, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return unique
}

func distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
