package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/workshop"
)

func newWorkshopLessonCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "lesson [CHAPTER]",
		Short: "Print the lesson of a chapter, or the page for leaders",
		Long: `Print the lesson of a chapter, by its number, or that of the current exercise's chapter: a
page to read before the exercises or after them, with trees from the recordings. "leaders"
is the page for those who lead a group. It is Markdown.`,
		Example: `  apitrace workshop lesson
  apitrace workshop lesson 5
  apitrace workshop lesson leaders`,
		Args: cobra.MaximumNArgs(1),
		RunE: o.with(std, func(l *learner, _ context.Context) error {
			name, err := l.lessonName()
			if err != nil {
				return err
			}
			text, err := lessons.Page(name, l.lang)
			if errors.Is(err, fs.ErrNotExist) {
				return usageErrorf("there is no lesson %q: expected one of %q", name, lessons.Names())
			}
			fmt.Fprint(l.std.out, text)
			return err
		}),
	}
}

// lessonName is the name of the lesson that the argument asks for.
func (l *learner) lessonName() (string, error) {
	if len(l.args) == 0 {
		e, err := l.current()
		if err != nil {
			return "", err
		}
		return lessonOf(l.course.Chapter(e)), nil
	}
	for i := range l.course.Chapters {
		if c := &l.course.Chapters[i]; c.Number() == l.args[0] || c.Name == l.args[0] {
			return lessonOf(c), nil
		}
	}
	return l.args[0], nil
}

// lessonOf is the name of a chapter's lesson: "03-get" for "lessons/03-get", "" if it has none.
func lessonOf(c *workshop.Chapter) string {
	if c.Lesson == "" {
		return ""
	}
	return path.Base(c.Lesson)
}
