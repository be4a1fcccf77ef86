package learner

import (
	"errors"
	"io/fs"
	"path"

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
		l.markdown(workshop.Text{En: text, Zh: text})
	}
	return err
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
