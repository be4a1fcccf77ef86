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

// Typo returns the first of the known words of which word is probably a typing
// error, or "". One letter may be wrong, missing or too many, or two neighbours may be
// swapped; in a word of at least eight letters, there may be two such errors. Words
// with less than four letters are never errors. It ignores case.
func Typo(word string, known []string) string {
	letters := []rune(strings.ToLower(word))
	if len(letters) < 4 {
		return ""
	}
	for allowed := 1; allowed <= min(2, len(letters)/4); allowed++ {
		for _, other := range known {
			if typos(letters, []rune(strings.ToLower(other)), allowed) <= allowed {
				return other
			}
		}
	}
	return ""
}

// typos returns the number of letters to insert, delete, replace or swap with their
// neighbour between two words (optimal string alignment). If it is above most, the result
// may be any number above most.
func typos(a, b []rune, most int) int {
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
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
