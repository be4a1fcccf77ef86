package search

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// withNear adds similar searches that find something to the error of a search for a text
// that found nothing.
func (q Query) withNear(err error) error {
	if !errors.As(err, new(*trace.UnknownFunctionError)) {
		return err
	}
	near := q.near()
	if len(near) == 0 {
		return err
	}
	return message.Errorf("%w\nor search for %s", err, message.Alternatives(near))
}

// near returns up to three similar texts that are found: the text with its probable typing
// errors mended or, if that is not found, its words, the longest first.
func (q Query) near() (found []string) {
	known := q.vocabulary()
	words := strings.Fields(strings.ToLower(q.Text))
	for i, word := range words {
		if occurs := slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, word) }); !occurs {
			if mended := text.Typo(word, known); mended != "" {
				words[i] = mended
			}
		}
	}
	if mended := strings.Join(words, " "); mended != strings.ToLower(q.Text) && q.finds(mended) {
		return []string{mended}
	}
	if len(words) < 2 {
		return nil
	}
	slices.SortStableFunc(words, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	for _, word := range slices.Compact(words) {
		if len(found) < 3 && utf8.RuneCountInString(word) > 2 && q.finds(word) {
			found = append(found, word)
		}
	}
	return found
}

// finds reports whether a search for a text finds anything.
func (q Query) finds(text string) bool {
	if len(FindLayers(text, q.Layers))+len(FindPages(text, q.Pages)) > 0 {
		return true
	}
	_, err := find(text, "")
	return err == nil
}

// vocabulary returns the words of everything that a search can find, in lower case: words of
// titles and headings first, then words of functions, values and errors, the more
// frequent ones first.
func (q Query) vocabulary() (all []string) {
	seen := map[string]bool{}
	add := func(words []string) {
		for _, word := range words {
			if word = strings.ToLower(word); len(word) > 2 && !seen[word] {
				seen[word] = true
				all = append(all, word)
			}
		}
	}
	for _, page := range q.Pages {
		add(wordsIn(page.Title + " " + page.Name))
	}
	for _, layer := range q.Layers {
		add(wordsIn(layer.Title + " " + layer.Name))
	}
	for _, page := range q.Pages {
		add(wordsIn(strings.Join(page.Headings, " ")))
	}
	x, err := library()
	if err != nil {
		return all
	}
	count := map[string]int{}
	for _, e := range x.entries {
		for _, word := range wordsIn(e.text) {
			count[strings.ToLower(word)]++
		}
	}
	var others []string
	for word, n := range count {
		if n > 1 { // a word that occurs once is mostly a random name
			others = append(others, word)
		}
	}
	slices.SortFunc(others, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	add(others)
	return all
}

// wordsIn returns the words of a text. A capital letter after a small one begins a word:
// "ValidatePod" has two, and is a word itself.
func wordsIn(s string) (words []string) {
	for _, whole := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words = append(words, whole)
		from, small := 0, false
		for i, r := range whole {
			if unicode.IsUpper(r) && small {
				words = append(words, whole[from:i])
				from = i
			}
			small = unicode.IsLower(r)
		}
		if from > 0 {
			words = append(words, whole[from:])
		}
	}
	return words
}
