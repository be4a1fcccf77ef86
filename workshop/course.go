package workshop

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/internal/strictyaml"
	"github.com/kubeapitrace/apitrace/internal/text"
)

//go:embed course
var embedded embed.FS

// A Course has chapters of exercises in order.
type Course struct {
	Chapters []Chapter
}

// A Chapter is a folder of the course.
type Chapter struct {
	// Name is the name of the folder: "03-get".
	Name string `yaml:"-"`
	// Title names the topic in a few words. Teaches says what the learner knows after
	// the chapter.
	Title   Text `yaml:"title"`
	Teaches Text `yaml:"teaches"`
	// Lesson is the page of docs to read with the chapter, without language and
	// ending: "lessons/03-get".
	Lesson string `yaml:"lesson"`
	// Releases applies to all exercises of the chapter. An exercise may set a since or
	// until of its own.
	Releases  release.Range `yaml:",inline"`
	Exercises []*Exercise   `yaml:"-"`
}

// ours is apitrace's own course. The first call reads it.
var ours = sync.OnceValues(func() (*Course, error) {
	files, err := fs.Sub(embedded, "course")
	if err != nil {
		return nil, err
	}
	return read(files, "course")
})

// Open returns the course in the folder dir, or apitrace's own if dir is "".
// Callers must not modify it.
func Open(dir string) (*Course, error) {
	if dir == "" {
		return ours()
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, message.Errorf("reading the course: %w", err)
	} else if !info.IsDir() {
		return nil, message.Errorf("reading the course: %q is a file; expected a folder with a folder for each chapter, as \"apitrace workshop new\" makes it", dir)
	}
	return read(os.DirFS(dir), dir)
}

// chapterFile describes a chapter.
const chapterFile = "chapter.yaml"

func read(files fs.FS, where string) (*Course, error) {
	names, err := fs.Glob(files, "[0-9]*-*/"+chapterFile)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, message.Errorf("no chapters in %q: expected folders such as 01-basics with a %s, as \"apitrace workshop new\" makes them", where, chapterFile)
	}
	slices.Sort(names)
	course := &Course{}
	for _, name := range names {
		chapter, err := readChapter(files, where, path.Dir(name))
		if err != nil {
			return nil, err
		}
		course.Chapters = append(course.Chapters, *chapter)
	}
	return course, course.checkNames()
}

func readChapter(files fs.FS, where, dir string) (*Chapter, error) {
	c := &Chapter{Name: dir}
	shown := filepath.Join(where, dir, chapterFile)
	text, err := bounded.ReadFS(files, path.Join(dir, chapterFile), bounded.MaxText)
	if err != nil {
		return nil, message.Errorf("reading the course: %w", err)
	}
	if err := strictyaml.Decode(shown, text, c); err != nil {
		return nil, err
	}
	if err := strictyaml.First(bothLanguages(c.Title, "title"), bothLanguages(c.Teaches, "teaches"), c.validateReleases()).In(shown, text); err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, dir+"/*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if path.Base(name) == chapterFile {
			continue
		}
		e, err := readExercise(files, filepath.Join(where, filepath.FromSlash(name)), name)
		if err != nil {
			return nil, err
		}
		e.Releases.Since, e.Releases.Until = cmp.Or(e.Releases.Since, c.Releases.Since), cmp.Or(e.Releases.Until, c.Releases.Until)
		c.Exercises = append(c.Exercises, e)
	}
	return c, nil
}

func (c *Chapter) validateReleases() *strictyaml.Mistake {
	if err := c.Releases.Validate(); err != nil {
		return strictyaml.MistakeAt(message.Of("%v", err), err.Field)
	}
	return nil
}

// fileName matches an exercise's file: its number in the chapter, and its name.
var fileName = regexp.MustCompile(`^[0-9]+-([a-z0-9]+(-[a-z0-9]+)*)\.yaml$`)

func readExercise(files fs.FS, shown, name string) (*Exercise, error) {
	found := fileName.FindStringSubmatch(path.Base(name))
	if found == nil {
		return nil, message.Errorf("%s:1: the file does not have the name of an exercise: expected a number and lower-case words joined by hyphens, such as \"03-first-call.yaml\"", shown)
	}
	text, err := bounded.ReadFS(files, name, bounded.MaxText)
	if err != nil {
		return nil, message.Errorf("reading the exercise: %w", err)
	}
	e, err := parse(shown, text)
	if err != nil {
		return nil, err
	}
	e.Name, e.Chapter = found[1], path.Dir(name)
	return e, e.showPatch()
}

func (c *Course) checkNames() error {
	seen := map[string]string{}
	for _, e := range c.Exercises() {
		for _, name := range e.names() {
			if other := seen[name]; other != "" {
				return message.Errorf("%s:1: the name %q is taken by %s: names are unique in a course", e.File, name, other)
			}
			seen[name] = e.File
		}
	}
	return nil
}

// names lists an exercise's present and earlier names.
func (e *Exercise) names() []string { return append([]string{e.Name}, e.Was...) }

// Named returns the exercise by its present name or an earlier one, or nil.
func (c *Course) Named(name string) *Exercise {
	for _, e := range c.Exercises() {
		if slices.Contains(e.names(), name) {
			return e
		}
	}
	return nil
}

// Renamed returns a copy of events with present names of exercises.
func (c *Course) Renamed(events []Event) []Event {
	present := map[string]string{}
	for _, e := range c.Exercises() {
		for _, name := range e.Was {
			present[name] = e.Name
		}
	}
	events = slices.Clone(events)
	for i := range events {
		events[i].Exercise = cmp.Or(present[events[i].Exercise], events[i].Exercise)
	}
	return events
}

// Exercises lists all exercises in their order.
func (c *Course) Exercises() []*Exercise {
	var all []*Exercise
	for _, chapter := range c.Chapters {
		all = append(all, chapter.Exercises...)
	}
	return all
}

// Chapter returns the chapter of an exercise.
func (c *Course) Chapter(e *Exercise) *Chapter {
	for i := range c.Chapters {
		if c.Chapters[i].Name == e.Chapter {
			return &c.Chapters[i]
		}
	}
	return nil
}

// number matches the number of an exercise or a chapter, existing or not.
var number = regexp.MustCompile(`^[0-9.]+$`)

// Find returns an exercise by its present name, an earlier name, or its number, such as
// "3.2". A chapter's number, such as "3", means its first exercise. If there is no such
// exercise, the error is an *UnknownError.
func (c *Course) Find(name string) (*Exercise, error) {
	if e := c.Named(name); e != nil {
		return e, nil
	}
	var names []string
	all := c.Exercises()
	for _, e := range all {
		if n := c.Number(e); n == name || n == name+".1" {
			return e, nil
		}
		names = append(names, e.Name)
	}
	unknown := &UnknownError{Name: name, First: c.Number(all[0]), Last: c.Number(all[len(all)-1])}
	if !number.MatchString(name) {
		unknown.Nearest = text.Nearest(name, names, 3)
	}
	return nil, unknown
}

// Number returns the number of an exercise in lists: "3.2".
func (c *Course) Number(e *Exercise) string {
	chapter := c.Chapter(e)
	return fmt.Sprintf("%s.%d", chapter.Number(), slices.Index(chapter.Exercises, e)+1)
}

// Number is the number of the chapter's folder: "3" for "03-get".
func (c *Chapter) Number() string {
	number, _, _ := strings.Cut(c.Name, "-")
	return cmp.Or(strings.TrimLeft(number, "0"), "0")
}

// An UnknownError reports that no exercise has a name or number.
type UnknownError struct {
	Name string
	// Nearest are the most similar names, the best match first. It is empty if Name is
	// a number.
	Nearest []string
	// First and Last are the numbers of the course's first and last exercise.
	First, Last string
}

func (e *UnknownError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *UnknownError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *UnknownError) message() message.Message {
	switch {
	case number.MatchString(e.Name):
		return message.Of("no exercise has the number %s: the numbers go from %s to %s (\"apitrace workshop\" lists them)", e.Name, e.First, e.Last)
	case len(e.Nearest) > 0:
		return message.Of("no exercise is called %q: did you mean %q? (\"apitrace workshop\" lists them)", e.Name, e.Nearest[0])
	}
	return message.Of("no exercise is called %q (\"apitrace workshop\" lists them)", e.Name)
}

// ExerciseNames lists the embedded course's exercises for shell completion: a
// name, a tab, and the title in the language lang.
func ExerciseNames(lang string) ([]string, error) {
	course, err := Open("")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range course.Exercises() {
		names = append(names, e.Name+"\t"+e.Title.In(lang))
	}
	return names, nil
}
