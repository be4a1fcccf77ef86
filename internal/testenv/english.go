package testenv

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// allowedWords has the English words that a Chinese text may contain.
// Each line has words, a colon and the reason. # begins a comment.
//
//go:embed testdata/english.txt
var allowedWords string

// An Output has the English texts that a command's Chinese output may contain.
type Output struct {
	// Names are the names of scenarios, layers and exercises.
	Names []string
	// Commands are the paths of apitrace's commands without its own name, such as
	// "workshop next".
	Commands []string
	// Upstream has regular expressions for quoted texts: upstream's source and
	// messages, and errors of Go's libraries.
	Upstream []string
}

var (
	url       = regexp.MustCompile(`https?://[!-~]+`)
	quotation = regexp.MustCompile("\"[^\"\n]*\"|`[^`\n]*`|'[^'\n]*'")
	flagValue = regexp.MustCompile(`--(view|output|k8s|layer|function|grep|only|course|as|kind|value|save|out|live|lang|scenario|trace)[ =][!-~]+`)
	flagAlone = regexp.MustCompile(`(^|[^A-Za-z0-9])--?[a-z][a-z0-9-]*`)
	// token is a run of printable ASCII.
	token = regexp.MustCompile(`[!-~]+`)
	word  = regexp.MustCompile(`^[A-Za-z]+([-'.,][A-Za-z]+)*$`)
	han   = regexp.MustCompile(`\p{Han}`)
	cells = regexp.MustCompile(` {2,}|\t|│`)
	// identifier matches parts that no English word contains: a digit, a character of
	// paths, code or assignments, or a capital after a small letter.
	identifier = regexp.MustCompile(`[0-9/_=$*@<>{}|+%#]|[a-z][A-Z]|[A-Za-z][.:(\[][A-Za-z(*]|\(\)`)
)

// prose lists English words that are never names or terms.
var prose = []string{
	"a", "an", "and", "any", "are", "as", "at", "be", "both", "but", "by", "for", "from", "had", "has", "have", "how", "in", "is", "it", "its", "more",
	"most", "no", "none", "not", "of", "on", "only", "or", "than", "that", "the", "then", "there", "this", "to", "was", "were", "which", "who", "why", "with", "without", "yes",
}

// English returns the lines of an output with English prose. Before each line, it puts
// the English words in it.
// Names, quotations, flags, commands, URLs, paths, numbers with units, and the words
// of testdata/english.txt do not count.
func (o Output) English(tb testing.TB, output string) []string {
	tb.Helper()
	allowed := map[string]bool{}
	for line := range strings.Lines(allowedWords) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, reason, ok := strings.Cut(line, ": ")
		if !ok || strings.TrimSpace(reason) == "" {
			tb.Fatalf("testdata/english.txt: %q: expected words, a colon and a reason", line)
		}
		for _, w := range strings.Fields(words) {
			allowed[w] = true
		}
	}
	for _, name := range o.Names {
		allowed[name] = true
	}
	for _, pattern := range o.Upstream {
		output = regexp.MustCompile(pattern).ReplaceAllString(output, "")
	}
	var found []string
	for line := range strings.Lines(output) {
		if words := o.wordsIn(line, allowed); len(words) > 0 {
			found = append(found, fmt.Sprintf("%q in: %s", words, strings.TrimSpace(line)))
		}
	}
	return found
}

// wordsIn returns the English prose in a line. The columns of a table are cells.
// In a cell without Chinese characters, all words are prose.
// In a cell with Chinese characters, two or more successive words are prose. A single
// word counts as a name or a term, unless the list prose has it.
func (o Output) wordsIn(line string, allowed map[string]bool) []string {
	line = quotation.ReplaceAllString(url.ReplaceAllString(line, `""`), `""`)
	line = o.withoutCommands(line)
	line = flagAlone.ReplaceAllString(flagValue.ReplaceAllString(line, "-"), "$1-")
	var words []string
	for _, cell := range cells.Split(line, -1) {
		isChinese := han.MatchString(cell)
		var last []int // the place of the previous token, if it is a word
		var before string
		for _, at := range token.FindAllStringIndex(cell, -1) {
			t := strings.TrimFunc(cell[at[0]:at[1]], func(r rune) bool { return unicode.IsPunct(r) && r != '*' })
			if len(t) < 2 || allowed[t] || !word.MatchString(t) || identifier.MatchString(t) {
				last = nil
				continue
			}
			inRow := last != nil && at[0] == last[1]+1 && cell[last[1]] == ' '
			switch {
			case !isChinese || slices.Contains(prose, strings.ToLower(t)):
				words = append(words, t)
			case inRow:
				words = append(words, before, t)
			}
			last, before = at, t
		}
	}
	return slices.Compact(words)
}

// withoutCommands removes calls such as "apitrace workshop next" from a line.
func (o Output) withoutCommands(line string) string {
	if !strings.Contains(line, "apitrace ") {
		return line
	}
	for _, path := range slices.Backward(slices.Sorted(slices.Values(o.Commands))) {
		line = regexp.MustCompile(`\bapitrace `+regexp.QuoteMeta(path)+`\b`).ReplaceAllString(line, " ")
	}
	return line
}
