package learner

import (
	"errors"
	"io/fs"
	"path"
	"regexp"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Lesson prints the lesson of a chapter, "" being that of the current exercise.
func (l *Learner) Lesson(chapter string) error {
	name, err := l.lessonName(chapter)
	if err != nil {
		return err
	}
	if name == "" {
		return usage.Errorf("this chapter has no lesson: \"apitrace workshop lesson 1\" prints the first one")
	}
	text, err := lessons.Page(name, l.lang)
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("there is no lesson %q: expected one of %q", name, lessons.Names())
	}
	if err == nil {
		text = forTerminal(text)
		l.markdown(workshop.Text{En: text, Zh: text})
	}
	return err
}

var (
	// diagram is one that GitHub draws, with the command that prints it in a comment.
	diagram = regexp.MustCompile("(?ms)^```mermaid\n%% \\$ (apitrace [^\n]*)\n.*?^```\n")
	// toLesson and toPage are links to another lesson and to another page of the repository.
	toLesson = regexp.MustCompile(`\[([^\]]+)\]\(([a-z0-9-]+)\.(en|zh)\.md\)`)
	toPage   = regexp.MustCompile(`\[([^\]]+)\]\([^):\s]+\.md(?:#[^)\s]*)?\)`)
)

// forTerminal replaces what leads nowhere in a terminal: a diagram by the command that prints it, and a link to
// another lesson by the command that shows that. Of other links between pages, the text is left.
func forTerminal(page string) string {
	page = diagram.ReplaceAllString(page, "```\n$$ $1\n```\n")
	page = toLesson.ReplaceAllString(page, "$1 (`apitrace workshop lesson $2`)")
	return toPage.ReplaceAllString(page, "$1")
}

// lessonName is the name of the lesson of a chapter, or that is called so.
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

// lessonOf is the name of a chapter's lesson: "03-get" for "lessons/03-get", "" if it has none.
func lessonOf(c *workshop.Chapter) string {
	if c.Lesson == "" {
		return ""
	}
	return path.Base(c.Lesson)
}
