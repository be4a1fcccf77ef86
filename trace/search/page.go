package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A PageKind says what a Page is.
type PageKind string

const (
	// Lesson is a lesson of the workshop.
	Lesson PageKind = "lesson"
	// Exercise is an exercise of the workshop.
	Exercise PageKind = "exercise"
	// Document is a document in the folder docs.
	Document PageKind = "document"
	// Scenario is a scenario with a recording. Its headings are its requests, such as
	// "GET /api/v1/nodes/n1".
	Scenario PageKind = "scenario"
)

// A Page is something that a search finds besides calls.
type Page struct {
	Kind PageKind
	// Name names the page in commands and addresses. For a document, it is the path
	// of its file.
	Name, Title string
	// Headings are the headings in the page.
	Headings []string
	// Heading is set by FindPages: the first heading with the text, if the title
	// and the name do not have it.
	Heading string
	// About is set by FindPages for a lesson or document with the text as whole words of its
	// title.
	About bool
}

// FindPages returns the pages with every word of a text in their title, name or one of
// their headings, ignoring case. Pages with a word of their title that begins with the
// text come first, then other titles, then headings that are the text, then other headings.
func FindPages(query string, pages []Page) []Page {
	type ranked struct {
		Page
		rank int
	}
	var found []ranked
	for _, p := range pages {
		switch {
		case beginsWord(p.Title, query):
			p.About = (p.Kind == Lesson || p.Kind == Document) && isWords(p.Title, query)
			found = append(found, ranked{p, 0})
		case hasWords(p.Title+" "+p.Name, query):
			found = append(found, ranked{p, 1})
		default:
			if at := slices.IndexFunc(p.Headings, func(h string) bool { return hasWords(h, query) }); at >= 0 {
				p.Heading = p.Headings[at]
				rank := 3
				if slices.ContainsFunc(p.Headings, func(h string) bool { return strings.EqualFold(h, query) }) {
					p.Heading, rank = query, 2
				}
				found = append(found, ranked{p, rank})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	var out []Page
	for _, f := range found {
		out = append(out, f.Page)
	}
	return out
}

// isWords reports whether a text has query as one or several whole words, ignoring case.
func isWords(text, query string) bool {
	words := func(s string) string {
		return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
	}
	return strings.TrimSpace(words(query)) != "" && strings.Contains(words(text), words(query))
}

// hasWords reports whether a text has every word of query, ignoring case. A query
// without a word is in no text.
func hasWords(text, query string) bool {
	words := strings.Fields(strings.ToLower(query))
	lower := strings.ToLower(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(lower, w) })
}

// beginsWord reports whether a word of a text begins with query, ignoring case.
func beginsWord(text, query string) bool {
	lower, query := strings.ToLower(text), strings.ToLower(strings.TrimSpace(query))
	for at := 0; query != "" && at < len(lower); {
		next := strings.Index(lower[at:], query)
		if next < 0 {
			return false
		}
		at += next
		if before, _ := utf8.DecodeLastRuneInString(lower[:at]); at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		at += len(query)
	}
	return false
}

// kindTitles has a heading for each kind of page.
var kindTitles = map[PageKind]message.Message{
	Lesson: message.Of("lesson"), Exercise: message.Of("exercise"), Document: message.Of("document"), Scenario: message.Of("scenario"),
}

// Title returns the kind in words.
func (k PageKind) Title() message.Message { return kindTitles[k] }

// found says where a page has the text, if its title and its name do not have it.
func (p *Page) found() message.Message {
	if p.Kind == Scenario {
		return message.Of("request: %s", text.Escape(p.Heading))
	}
	return message.Of("section: %s", text.Escape(p.Heading))
}

// Command returns what shows a page: a command, or the path of a document.
func (p *Page) Command() string {
	switch p.Kind {
	case Lesson:
		return "apitrace workshop lesson " + p.Name
	case Exercise:
		return "apitrace workshop jump " + p.Name
	case Scenario:
		return "apitrace show " + p.Name
	}
	return p.Name
}
