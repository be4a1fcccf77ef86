package learner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Board is the list of the course with the learner's progress.
type Board struct {
	K8sVersion string         `json:"k8sVersion" description:"The release with the recordings that answers are judged by."`
	Current    string         `json:"current" description:"Name of the exercise that was started last, empty if none was."`
	Next       string         `json:"next" description:"Name of the exercise to go on with, empty if none is left that can be done with the release."`
	Passed     int            `json:"passed" description:"How many exercises are passed."`
	Exercises  int            `json:"exercises" description:"How many exercises the course has."`
	Minutes    int            `json:"minutes" description:"How many minutes the remaining exercises take."`
	Releases   []string       `json:"releases" description:"The releases with which exercises can be done, the oldest first."`
	Chapters   []BoardChapter `json:"chapters" description:"The chapters, in their order."`
	Notices    []string       `json:"notices" description:"Notices about the file with the progress."`
}

// A BoardChapter is a chapter in the list.
type BoardChapter struct {
	Number    string          `json:"number" description:"Number of the chapter."`
	Title     string          `json:"title" description:"What it is about."`
	Teaches   string          `json:"teaches" description:"What the learner knows afterwards."`
	Lesson    string          `json:"lesson" description:"Name of its lesson, empty if it has none."`
	Exercises []BoardExercise `json:"exercises" description:"Its exercises, in their order."`
}

// A BoardExercise is an exercise in the list.
type BoardExercise struct {
	Name      string `json:"name" description:"Name of the exercise."`
	Number    string `json:"number" description:"Its number, such as 3.2."`
	Title     string `json:"title" description:"What it is about."`
	Kind      string `json:"kind" description:"The kind of question." enum:"find|order|claim|choose|value|make|change"`
	KindTitle string `json:"kindTitle" description:"The kind in words."`
	Minutes   int    `json:"minutes" description:"How long it takes."`
	Live      bool   `json:"live" description:"Whether it needs a server."`
	Available bool   `json:"available" description:"Whether it can be done with the release."`
	Started   bool   `json:"started" description:"Whether it was started."`
	Passed    bool   `json:"passed" description:"Whether it is passed."`
	Revealed  bool   `json:"revealed" description:"Whether the solution was seen before it was passed."`
	Tries     int    `json:"tries" description:"How many wrong answers were given."`
}

// A Sheet is an exercise with its question. It has only the hints, the solution and the
// debrief that the learner may read. Texts are HTML without scripts.
type Sheet struct {
	BoardExercise
	Chapter   string         `json:"chapter" description:"Title of its chapter."`
	Lesson    string         `json:"lesson" description:"Name of the chapter's lesson, empty if it has none."`
	Question  string         `json:"question" description:"What is asked, as HTML."`
	Options   []SheetOption  `json:"options" description:"The steps to put in order, or the statements to choose from."`
	Evidence  bool           `json:"evidence" description:"Whether an answer of true or false also names a function."`
	File      string         `json:"file" description:"The file of the server to change; empty if the exercise changes no file."`
	Command   string         `json:"command" description:"The same answer on the command line."`
	Releases  []string       `json:"releases" description:"The releases with which it can be done, the oldest first."`
	Traces    []SheetTrace   `json:"traces" description:"The recordings that the question is about."`
	Answer    string         `json:"answer" description:"The last answer, empty if there was none."`
	Hints     []string       `json:"hints" description:"The hints that were taken, as HTML."`
	HintsLeft int            `json:"hintsLeft" description:"How many hints are left."`
	Solution  *SheetSolution `json:"solution,omitempty" description:"The answers that pass; absent unless the exercise is passed or the solution was shown."`
	Debrief   string         `json:"debrief" description:"The explanation, as HTML; empty unless the exercise is passed or the solution was shown."`
	Previous  string         `json:"previous" description:"Name of the exercise before it, empty if it is the first."`
	Following string         `json:"following" description:"Name of the exercise after it, empty if it is the last."`
	Notices   []string       `json:"notices" description:"Other notices."`
}

// A SheetOption is a step or a statement.
type SheetOption struct {
	Letter string `json:"letter" description:"The letter that an answer uses for it."`
	Text   string `json:"text" description:"The step or the statement, as HTML."`
}

// A SheetTrace is a recording.
type SheetTrace struct {
	Which    string `json:"which" description:"The name of the recording in the question; empty for the main recording."`
	Release  string `json:"release" description:"The release of Kubernetes."`
	Scenario string `json:"scenario" description:"Name of the scenario."`
}

// A SheetSolution is a right answer.
type SheetSolution struct {
	Answers []string `json:"answers" description:"Each of these passes."`
	Steps   []string `json:"steps" description:"The steps in their order."`
	Text    string   `json:"text" description:"Why, as HTML; may be empty."`
}

// A Reply is the result of an answer.
type Reply struct {
	Passed  bool     `json:"passed" description:"Whether the answer is right."`
	Text    string   `json:"text" description:"Why, as HTML."`
	Notices []string `json:"notices" description:"Other notices, such as the response of a server."`
	// Recording is the trace that was judged in a live exercise; nil for other exercises.
	Recording *trace.Recording `json:"-"`
}

// markdown turns text with one line per paragraph (see joinLines) into HTML. goldmark
// drops raw HTML and links to scripts.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

func toHTML(text string) (string, error) {
	var out bytes.Buffer
	if err := markdown.Convert([]byte(joinLines(text)), &out); err != nil {
		return "", message.Errorf("laying out a text: %w", err)
	}
	return out.String(), nil
}

// html converts texts and keeps the first error.
type html struct {
	lang string
	err  error
}

func (h *html) of(t workshop.Text) string {
	text, err := toHTML(t.In(h.lang))
	h.err = cmp.Or(h.err, err)
	return text
}

// Board returns the list of the course.
func (l *Learner) Board() (*Board, error) {
	b := &Board{K8sVersion: l.k8s, Current: l.progress.Current, Notices: []string{}}
	for i := range l.course.Chapters {
		chapter := &l.course.Chapters[i]
		out := BoardChapter{Number: chapter.Number(), Title: chapter.Title.In(l.lang), Teaches: chapter.Teaches.In(l.lang), Lesson: lessonOf(chapter)}
		for _, e := range chapter.Exercises {
			entry, err := l.boardExercise(e)
			if err != nil {
				return nil, err
			}
			out.Exercises = append(out.Exercises, entry)
			b.Exercises++
			if entry.Passed {
				b.Passed++
			} else {
				b.Minutes += e.Minutes
			}
		}
		b.Chapters = append(b.Chapters, out)
	}
	next, err := l.following(false)
	if err != nil {
		return nil, err
	}
	if next != nil {
		b.Next = next.Name
	}
	b.Releases, err = l.releasesWith(l.course.Exercises()...)
	return b, err
}

func (l *Learner) boardExercise(e *workshop.Exercise) (BoardExercise, error) {
	done := l.progress.Of(e)
	available, err := e.Available(l.k8s)
	return BoardExercise{
		Name: e.Name, Number: l.course.Number(e), Title: e.Title.In(l.lang), Kind: string(e.Kind()), KindTitle: l.kindName(e.Kind()),
		Minutes: e.Minutes, Live: e.Live(), Available: available,
		Started: done.Started, Passed: done.Passed, Revealed: done.Revealed, Tries: done.Tries,
	}, err
}

// Sheet returns an exercise by its name or number.
func (l *Learner) Sheet(name string) (*Sheet, error) {
	e, err := l.named(name)
	if err != nil {
		return nil, err
	}
	entry, err := l.boardExercise(e)
	if err != nil {
		return nil, err
	}
	done, chapter, h := l.progress.Of(e), l.course.Chapter(e), &html{lang: l.lang}
	s := &Sheet{
		BoardExercise: entry, Chapter: chapter.Title.In(l.lang), Lesson: lessonOf(chapter), Question: h.of(e.Question), Command: l.chosen.in(l.howToAnswer(e)),
		Answer: done.Answer, Options: []SheetOption{}, Hints: []string{}, Traces: []SheetTrace{}, HintsLeft: len(e.Hints) - done.Hints, Notices: []string{},
	}
	for at, step := range e.Shown() {
		s.Options = append(s.Options, SheetOption{string(rune('A' + at)), h.of(e.Order[step].Text)})
	}
	for i := range e.Choose {
		s.Options = append(s.Options, SheetOption{string(rune('A' + i)), h.of(e.Choose[i].Text)})
	}
	s.Evidence = e.Claim != nil && e.Claim.Evidence != nil
	if e.Change != nil {
		s.File = e.Change.File
	}
	for _, hint := range e.Hints[:done.Hints] {
		s.Hints = append(s.Hints, h.of(hint))
	}
	if s.Releases, err = l.releasesWith(e); err != nil {
		return nil, err
	}
	if err := s.addTraces(e, l.k8s); err != nil {
		return nil, err
	}
	all := l.course.Exercises()
	if at := slices.Index(all, e); at > 0 {
		s.Previous = all[at-1].Name
	}
	if at := slices.Index(all, e); at < len(all)-1 {
		s.Following = all[at+1].Name
	}
	if done.Passed || done.Revealed {
		if s.Solution, err = l.sheetSolution(e); err != nil {
			return nil, err
		}
		s.Debrief = h.of(e.Debrief)
	}
	return s, h.err
}

// addTraces adds the recordings that come with apitrace.
func (s *Sheet) addTraces(e *workshop.Exercise, k8s string) error {
	add := func(which string, source workshop.Source) error {
		version, err := recordings.Resolve(cmp.Or(source.K8s, k8s))
		if err != nil || source.Scenario == "" {
			return nil
		}
		has, err := recordings.Has(version, source.Scenario)
		if has {
			s.Traces = append(s.Traces, SheetTrace{which, version, source.Scenario})
		}
		return err
	}
	err := add("", workshop.Source{Scenario: e.Scenario})
	for _, which := range slices.Sorted(maps.Keys(e.Also)) {
		err = cmp.Or(err, add(which, e.Also[which]))
	}
	return err
}

// sheetSolution returns the solution that printSolution prints.
func (l *Learner) sheetSolution(e *workshop.Exercise) (*SheetSolution, error) {
	s := &SheetSolution{Answers: []string{}, Steps: []string{}}
	switch {
	case e.Make != nil:
		r := e.Solution.Request
		answer := fmt.Sprintf("%s %s%s", r.Method, r.Path, requestFlags(r))
		if r.Body != nil {
			answer += fmt.Sprintf("\n\n%s", r.Body.JSON())
		}
		s.Answers = append(s.Answers, answer)
	case e.Change != nil:
		for _, edit := range e.Solution.Edits {
			var out bytes.Buffer
			printReplacement(&out, edit)
			s.Answers = append(s.Answers, out.String())
		}
	default:
		right, err := l.judge.Right(e)
		if err != nil {
			return nil, err
		}
		s.Answers = right
		for _, step := range e.Order {
			s.Steps = append(s.Steps, onOneLine(step.Text.In(l.lang)))
		}
	}
	text, err := toHTML(e.Solution.Text.In(l.lang))
	s.Text = text
	return s, err
}

// Do records that an exercise was started, or that a hint or the solution was
// requested. Reset forgets the exercise.
func (l *Learner) Do(ctx context.Context, name string, did workshop.Action) error {
	e, err := l.named(name)
	if err != nil {
		return err
	}
	switch did {
	case workshop.Started:
		if err := l.mustBeAvailable(e); err != nil {
			return err
		}
		if err := l.record(ctx, e, did, ""); err != nil {
			return err
		}
		return l.writeAnswerFile(e)
	case workshop.Hinted:
		if l.progress.Of(e).Hints >= len(e.Hints) {
			return nil
		}
	case workshop.Revealed:
		if l.progress.Of(e).Passed {
			return nil
		}
	case workshop.Reset:
		return l.forget(ctx, e, e)
	}
	return l.record(ctx, e, did, "")
}

// Answer judges an answer to an exercise and records the verdict. The answer is text,
// or request for an exercise that asks for a request. An exercise that changes the
// server needs neither.
func (l *Learner) Answer(ctx context.Context, name, text string, request *scenarios.TypedRequest) (*Reply, error) {
	e, err := l.named(name)
	if err != nil {
		return nil, err
	}
	try := workshop.Try{Text: text}
	switch {
	case e.Make != nil:
		if request == nil {
			return nil, message.UsageErrorf("the answer to this exercise is a request: its method and its path are missing")
		}
		h, err := request.HTTP()
		if err != nil {
			return nil, message.ToUsageError(err)
		}
		text = request.Method + " " + request.Path
		try.Recording, err = l.replay(ctx, ownRequest(e, h), "")
		if err != nil {
			return nil, err
		}
	case e.Change != nil:
		if try.Recording, err = l.play(ctx, e, nil, nil); err != nil {
			return nil, err
		}
	}
	if try.Recording != nil {
		if err := l.keepTrace(ctx, e, try.Recording); err != nil {
			return nil, err
		}
	}
	verdict, err := l.verdict(ctx, e, try, text)
	if err != nil {
		return nil, err
	}
	reply := &Reply{Passed: verdict.Passed, Recording: try.Recording, Notices: []string{}}
	reply.Text, err = toHTML(verdict.Reply.In(l.lang))
	return reply, err
}

// LessonHTML returns a lesson as HTML.
func LessonHTML(name, lang string) (string, error) {
	text, err := lessons.Page(name, lang)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !slices.Contains(lessons.Names(), name) {
		return "", message.UsageErrorf("there is no lesson %q: expected the number of a chapter, as \"apitrace workshop\" lists it, or one of %s", name, message.List(lessons.Names()))
	}
	if err != nil {
		return "", err
	}
	return toHTML(text)
}
