package learner

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/message"
	texts "github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/reading"
)

// Lesson prints the lesson of a chapter. "" is the chapter of the current exercise. A text that
// is no chapter and no name of a page selects the only page about it, see pageAbout.
func (l *Learner) Lesson(chapter string) error {
	name, err := l.lessonName(chapter)
	if err != nil {
		return err
	}
	if name == "" {
		return message.UsageErrorf("this chapter has no lesson: \"apitrace workshop lesson 1\" prints the first one")
	}
	page, err := lessons.Page(name, l.lang)
	if errors.Is(err, fs.ErrNotExist) {
		if name, err = pageAbout(name, l.lang); err != nil {
			return err
		}
		page, err = lessons.Page(name, l.lang)
	}
	if err == nil {
		page = forTerminal(page, l.lang)
		l.markdown(workshop.Text{En: page, Zh: page})
	}
	return err
}

// pageAbout returns the name of the only page with a text in its title or name or, if no
// title has it, in a heading. The title may be in any language. If there is no such page, or
// there are several, the error lists pages.
func pageAbout(text, lang string) (string, error) {
	var found []search.Page
	var words []string
	for _, lang := range []string{lang, "en", "zh"} {
		all, err := reading.Lessons(lang)
		if err != nil {
			return "", err
		}
		for _, p := range all {
			words = append(words, strings.FieldsFunc(strings.ToLower(p.Name+" "+p.Title), func(r rune) bool { return !unicode.IsLetter(r) })...)
		}
		if found = search.FindPages(text, all); len(found) > 0 {
			break
		}
	}
	titled := slices.DeleteFunc(slices.Clone(found), func(p search.Page) bool { return p.Heading != "" })
	if len(titled) > 0 {
		found = titled
	}
	switch {
	case len(found) == 1:
		return found[0].Name, nil
	case len(found) > 1:
		var lines []message.Message
		for _, p := range found {
			line := message.Of("apitrace workshop lesson %s: %s", p.Name, p.Title)
			if p.Heading != "" {
				line = message.Of("%s, section \"%s\"", line, p.Heading)
			}
			lines = append(lines, line)
		}
		return "", message.UsageErrorf("several lessons are about %q: choose one\n  %s", text, message.Join("%s\n  %s", lines...))
	}
	unknown := message.Of("there is no lesson %q: expected the number of a chapter, as \"apitrace workshop\" lists it, a word of a title, or one of %s", text, message.List(lessons.Names()))
	if word := texts.Typo(text, words); word != "" {
		return "", message.UsageErrorf("%s; did you mean %q?", unknown, word)
	}
	return "", message.UsageErrorf("%s", unknown)
}

var (
	// diagram matches a diagram for GitHub, with its command in a comment.
	diagram = regexp.MustCompile("(?ms)^```mermaid\n%% \\$ (apitrace [^\n]*)\n.*?^```\n")
	// toLesson matches a link to another lesson, and toPage a link to another page of
	// the repository.
	toLesson = regexp.MustCompile(`\[([^\]]+)\]\(([a-z0-9-]+)\.(en|zh)\.md\)`)
	// table matches a table with headings and cells between "|".
	table  = regexp.MustCompile(`(?m)^\|(.*)\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)`)
	toPage = regexp.MustCompile(`\[([^\]]+)\]\([^):\s]+\.md(?:#[^)\s]*)?\)`)
)

// forTerminal replaces the parts of a page that do not work in a terminal. A diagram
// becomes the command that prints it. A link to a lesson becomes the command that shows
// the lesson. A link to another page becomes its text. A row of a table becomes an item of
// a list, because the cells are too long for columns.
func forTerminal(page, lang string) string {
	page = diagram.ReplaceAllString(page, "```\n$$ $1\n```\n")
	page = toLesson.ReplaceAllString(page, "$1 (`apitrace workshop lesson $2`)")
	page = toPage.ReplaceAllString(page, "$1")
	return table.ReplaceAllStringFunc(page, func(all string) string {
		m := table.FindStringSubmatch(all)
		return listed(cells(m[1]), strings.Split(strings.TrimSpace(m[2]), "\n"), lang)
	})
}

func cells(row string) []string {
	list := strings.Split(strings.Trim(row, "|"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// listed writes each row as an item of a list: the first cell, the second, and each
// further cell after its heading.
func listed(headings, rows []string, lang string) string {
	p := message.For(lang)
	colon, semicolon := p.Sprintf(": "), p.Sprintf("; ")
	var list strings.Builder
	for _, row := range rows {
		for i, cell := range cells(row) {
			switch {
			case i == 0:
				list.WriteString("- " + cell)
			case cell == "":
			case i == 1:
				list.WriteString(colon + cell)
			case i < len(headings) && headings[i] != "":
				list.WriteString(semicolon + headings[i] + colon + cell)
			default:
				list.WriteString(semicolon + cell)
			}
		}
		list.WriteString("\n")
	}
	return list.String()
}

// lessonName returns the name of the lesson of a chapter. chapter is a number or a
// name; "" is the chapter of the current exercise. Any other text counts as the name of
// a lesson, and is returned unchanged.
func (l *Learner) lessonName(chapter string) (string, error) {
	if chapter == "" {
		e, err := l.current()
		if err != nil {
			return "", err
		}
		return lessonOf(l.course.Chapter(e)), nil
	}
	for i := range l.course.Chapters {
		if c := &l.course.Chapters[i]; c.Number() == chapter || c.Name == chapter {
			return lessonOf(c), nil
		}
	}
	return chapter, nil
}

// lessonOf returns the name of a chapter's lesson, such as "03-get" for
// "lessons/03-get", or "".
func lessonOf(c *workshop.Chapter) string {
	if c.Lesson == "" {
		return ""
	}
	return path.Base(c.Lesson)
}
