package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns up to n of the known words that are similar to word, each
// once, the most similar first. It ignores case. A known word is not similar
// if more than half of the letters would have to change.
func Nearest(word string, known []string, n int) []string {
	unlike := func(other string) bool { return 2*distance(word, other) > max(len(word), len(other)) }
	near := slices.DeleteFunc(ByDistance(word, known), unlike)
	return near[:min(n, len(near))]
}

// ByDistance returns the known words, each once, the most similar to word
// first. It ignores case.
func ByDistance(word string, known []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(known)))
	slices.SortStableFunc(unique, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return unique
}

// distance returns the number of letters to insert, delete or replace between
// two words.
func distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
