package web

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// A groupState is what the leader's page shows. Texts of exercises are in both languages.
type groupState struct {
	Addresses []string        `json:"addresses"`
	Code      string          `json:"code"`
	Exercises []groupExercise `json:"exercises"`
	Learners  []groupLearner  `json:"learners"`
	Question  *groupQuestion  `json:"question,omitempty"`
}

type groupExercise struct {
	Name   string        `json:"name"`
	Number string        `json:"number"`
	Title  workshop.Text `json:"title"`
	Claim  bool          `json:"claim"`
}

type groupLearner struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Passed  int    `json:"passed"`
	Tries   int    `json:"tries"`
	Current string `json:"current"`
	// Done has a word for each exercise that was begun: passed, revealed, tried or started.
	Done  map[string]string `json:"done"`
	Voted bool              `json:"voted"`
}

type groupQuestion struct {
	Exercise string        `json:"exercise"`
	Text     workshop.Text `json:"text"`
	Poll     bool          `json:"poll"`
	Open     bool          `json:"open"`
	Votes    int           `json:"votes"`
	// True and False are the distribution, once the poll is closed: before that it would lead those who have not voted yet.
	True  int `json:"true"`
	False int `json:"false"`
}

func (c *classroom) state(addresses []string) (*groupState, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &groupState{Addresses: addresses, Code: c.code, Learners: []groupLearner{}, Exercises: c.exercises()}
	for _, a := range c.byName() {
		one := groupLearner{ID: a.id, Name: a.name, Current: a.current, Done: map[string]string{}, Voted: a.vote != nil}
		for name, d := range a.done {
			one.Tries += d.Tries
			one.Done[name] = doneWord(d)
			if d.Passed {
				one.Passed++
			}
		}
		s.Learners = append(s.Learners, one)
	}
	if c.shown.exercise == nil {
		return s, nil
	}
	q := &groupQuestion{Exercise: c.shown.exercise.Name, Poll: c.shown.poll, Open: c.shown.open}
	var err error
	if q.Text, err = learner.QuestionHTML(c.shown.exercise); err != nil {
		return nil, err
	}
	for _, a := range c.learners {
		if a.vote == nil {
			continue
		}
		q.Votes++
		switch {
		case c.shown.open:
		case *a.vote:
			q.True++
		default:
			q.False++
		}
	}
	s.Question = q
	return s, nil
}

func (c *classroom) exercises() []groupExercise {
	var all []groupExercise
	for i := range c.course.Chapters {
		chapter := &c.course.Chapters[i]
		for n, e := range chapter.Exercises {
			all = append(all, groupExercise{e.Name, fmt.Sprintf("%s.%d", chapter.Number(), n+1), e.Title, e.Claim != nil})
		}
	}
	return all
}

func doneWord(d *workshop.Done) string {
	switch {
	case d.Passed:
		return "passed"
	case d.Revealed:
		return "revealed"
	case d.Tries > 0:
		return "tried"
	default:
		return "started"
	}
}

// A groupExport is what a leader can keep of a workshop. It has no names of learners.
type groupExport struct {
	Learners  int             `json:"learners"`
	Exercises []exportedCount `json:"exercises"`
}

// An exportedCount is how a group did on an exercise.
type exportedCount struct {
	Exercise string          `json:"exercise"`
	Title    string          `json:"title"`
	Started  int             `json:"started"`
	Passed   int             `json:"passed"`
	Wrong    []exportedWrong `json:"wrong"`
}

type exportedWrong struct {
	Answer string `json:"answer"`
	Times  int    `json:"times"`
}

func (c *classroom) export(lang string) groupExport {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := groupExport{Learners: len(c.learners), Exercises: []exportedCount{}}
	for _, e := range c.course.Exercises() {
		count := exportedCount{Exercise: e.Name, Title: e.Title.In(lang), Wrong: []exportedWrong{}}
		for _, a := range c.learners {
			if d := a.done[e.Name]; d != nil {
				count.Started++
				if d.Passed {
					count.Passed++
				}
			}
		}
		for answer, times := range c.wrong[e.Name] {
			count.Wrong = append(count.Wrong, exportedWrong{answer, times})
		}
		slices.SortFunc(count.Wrong, func(a, b exportedWrong) int {
			return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Answer, b.Answer))
		})
		if count.Started > 0 || len(count.Wrong) > 0 {
			out.Exercises = append(out.Exercises, count)
		}
	}
	return out
}

// groupFormats are the formats of an export, by the ending of a file, with their media types.
var groupFormats = map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "md": "text/markdown; charset=utf-8"}

// groupFormat returns the format of a file.
func groupFormat(file string) (string, error) {
	format := strings.TrimPrefix(filepath.Ext(file), ".")
	if groupFormats[format] == "" {
		return "", message.Errorf("the export %q: expected a name that ends in one of %s", file, message.List(slices.Sorted(maps.Keys(groupFormats))))
	}
	return format, nil
}

func (x groupExport) write(w io.Writer, format string, p message.Printer) error {
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(x)
	case "csv":
		return x.writeCSV(w)
	}
	return x.writeMarkdown(w, p)
}

// writeCSV writes a row for each wrong answer, and one row for an exercise that has none.
func (x groupExport) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"exercise", "title", "started", "passed", "wrong answer", "times"}) // Error has it
	for _, e := range x.Exercises {
		row := []string{e.Exercise, e.Title, strconv.Itoa(e.Started), strconv.Itoa(e.Passed), "", ""}
		if len(e.Wrong) == 0 {
			_ = out.Write(row)
		}
		for _, wrong := range e.Wrong {
			row[4], row[5] = harmless(wrong.Answer), strconv.Itoa(wrong.Times)
			_ = out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}

// harmless returns a cell that no spreadsheet evaluates as a formula.
func harmless(cell string) string {
	if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
		return "'" + cell
	}
	return cell
}

func (x groupExport) writeMarkdown(w io.Writer, p message.Printer) error {
	var page strings.Builder
	page.WriteString(p.Sprintf("# How the group did\n\nLearners at the end: %d\n", x.Learners))
	for _, e := range x.Exercises {
		page.WriteString(p.Sprintf("\n## %s\n\n`%s`: %d started, %d passed.\n", e.Title, e.Exercise, e.Started, e.Passed))
		for i, wrong := range e.Wrong {
			if i == 0 {
				page.WriteString(p.Sprintf("\nWrong answers:\n\n"))
			}
			// A run of backticks longer than those in the answer.
			fence := strings.Repeat("`", longestRun(wrong.Answer, '`')+1)
			fmt.Fprintf(&page, "- %d × %s %s %s\n", wrong.Times, fence, wrong.Answer, fence)
		}
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// longestRun returns the length of the longest run of a character.
func longestRun(s string, of rune) (most int) {
	run := 0
	for _, r := range s {
		if r == of {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}
