package classroom

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
)

// An export is a workshop's result for the leader, without learners' names.
type export struct {
	Learners  int     `json:"learners"`
	Exercises []count `json:"exercises"`
}

// A count is the group's result in one exercise.
type count struct {
	Exercise string        `json:"exercise"`
	Title    string        `json:"title"`
	Started  int           `json:"started"`
	Passed   int           `json:"passed"`
	Wrong    []wrongAnswer `json:"wrong"`
}

// A wrongAnswer is a wrong answer and the number of times that it was given.
type wrongAnswer struct {
	Answer string `json:"answer"`
	Times  int    `json:"times"`
}

func (c *Classroom) export(lang string) export {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := export{Learners: len(c.learners), Exercises: []count{}}
	for _, e := range c.course.Exercises() {
		of := count{Exercise: e.Name, Title: e.Title.In(lang), Wrong: []wrongAnswer{}}
		for _, a := range c.learners {
			if d := a.done[e.Name]; d != nil {
				of.Started++
				if d.Passed {
					of.Passed++
				}
			}
		}
		for answer, times := range c.wrong[e.Name] {
			of.Wrong = append(of.Wrong, wrongAnswer{answer, times})
		}
		slices.SortFunc(of.Wrong, func(a, b wrongAnswer) int {
			return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Answer, b.Answer))
		})
		if of.Started > 0 || len(of.Wrong) > 0 {
			out.Exercises = append(out.Exercises, of)
		}
	}
	return out
}

// Formats are the formats of an export and their media types. The key is the extension
// of the file.
var Formats = map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "md": "text/markdown; charset=utf-8"}

// Format returns the format for the name of a file: its extension, which must be a key
// of Formats.
func Format(file string) (string, error) {
	format := strings.TrimPrefix(filepath.Ext(file), ".")
	if Formats[format] == "" {
		return "", message.Errorf("the export %q: expected a name that ends in one of %s", file, message.List(slices.Sorted(maps.Keys(Formats))))
	}
	return format, nil
}

// Export writes the workshop's result in one of Formats, without learners' names.
func (c *Classroom) Export(w io.Writer, format string, p message.Printer) error {
	x := c.export(p.Lang())
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

// writeCSV writes a row for each wrong answer, and one row for an exercise without
// wrong answers.
func (x export) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"exercise", "title", "started", "passed", "wrong answer", "times"}) // Error returns write errors
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

func (x export) writeMarkdown(w io.Writer, p message.Printer) error {
	var page strings.Builder
	page.WriteString(p.Sprintf("# How the group did\n\nLearners at the end: %d\n", x.Learners))
	for _, e := range x.Exercises {
		page.WriteString(p.Sprintf("\n## %s\n\n`%s`: %d started, %d passed.\n", e.Title, e.Exercise, e.Started, e.Passed))
		for i, wrong := range e.Wrong {
			if i == 0 {
				page.WriteString(p.Sprintf("\nWrong answers:\n\n"))
			}
			// The fence must be longer than each run of backticks in the answer.
			fence := strings.Repeat("`", longestRun(wrong.Answer, '`')+1)
			fmt.Fprintf(&page, "- %d × %s %s %s\n", wrong.Times, fence, wrong.Answer, fence)
		}
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// longestRun returns the length of the longest run of the character of in s.
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
