package learner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/workshop"
)

// answerFile returns the learner's file for the answer. The command watch reads it, and
// the command check, if it has no arguments.
func (l *Learner) answerFile(e *workshop.Exercise) string {
	return filepath.Join(l.dir, "answers", e.Name+".txt")
}

// writeAnswerFile writes the file for the answer, with the steps to put in order. It
// does not change an existing file.
func (l *Learner) writeAnswerFile(e *workshop.Exercise) error {
	if e.Change != nil {
		return nil
	}
	file := l.answerFile(e)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n# %s\n", e.Title.In(l.lang), l.p.Sprintf("Write your answer below; lines that begin with # are ignored."))
	for at, step := range e.Shown() {
		fmt.Fprintf(&text, "%c  %s\n", 'A'+at, onOneLine(e.Order[step].Text.In(l.lang)))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return workshop.StateError(err)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return workshop.StateError(err)
	}
	return nil
}

func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// readAnswerFile returns the answer in the file, or "" if there is none yet.
func (l *Learner) readAnswerFile(e *workshop.Exercise) (string, error) {
	text, err := bounded.ReadFile(l.answerFile(e), bounded.MaxText)
	if err != nil && !os.IsNotExist(err) {
		return "", workshop.StateError(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "#") {
			lines = append(lines, fields)
		}
	}
	if e.Order != nil {
		return orderIn(lines, len(e.Order)), nil
	}
	return strings.Join(slices.Concat(lines...), " "), nil
}

// orderIn returns the order of steps in an answer file: its last line with only letters
// of steps, or else the first word of each line. It returns "" if these words are in the
// question's order, because writeAnswerFile has written them so.
func orderIn(lines [][]string, steps int) string {
	var first, shown []string
	for _, line := range lines {
		first = append(first, line[0])
	}
	for i := range steps {
		shown = append(shown, string(rune('A'+i)))
	}
	for _, line := range slices.Backward(lines) {
		if letters := strings.Join(line, ""); len(letters) > 1 && onlyLetters(letters, steps) {
			return strings.Join(line, " ")
		}
	}
	if slices.Equal(first, shown) {
		return ""
	}
	return strings.Join(first, " ")
}

// onlyLetters reports whether a text consists of letters of steps, each at most once,
// and separators.
func onlyLetters(text string, steps int) bool {
	seen := map[rune]bool{}
	for _, r := range strings.ToUpper(text) {
		if strings.ContainsRune(",;>-→，；", r) {
			continue
		}
		if r < 'A' || int(r-'A') >= steps || seen[r] {
			return false
		}
		seen[r] = true
	}
	return true
}
