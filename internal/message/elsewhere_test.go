package message

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// chineseElsewhere maps each Go file that may contain Chinese to the use of the Chinese text
// there. None of these texts is a message.
var chineseElsewhere = map[string]string{
	"internal/text/wrap.go":      "punctuation at which a line may end",
	"view/trace.go":              "finds the end of the first sentence of a note of the guide",
	"view/step.go":               "cuts the title of a layer before a bracket or comma",
	"view/viewtest/guides.go":    "texts of guides for tests",
	"view/viewtest/recording.go": "values in recordings for tests",
	"workshop/claim.go":          "words that a learner may answer with",
	"workshop/learner/answer.go": "signs that a learner may type between words",
	"workshop/value.go":          "numbers that a learner may answer with",
}

// TestChineseIsInTheCatalogue finds Chinese in Go code. The Chinese messages of apitrace must
// be in zh.po, so that there is one place to read and correct them. Files that are not Go
// code, such as the guide, may contain Chinese.
func TestChineseIsInTheCatalogue(t *testing.T) {
	chinese := regexp.MustCompile(`[\p{Han}\x{3001}-\x{303f}\x{ff01}-\x{ff65}]`)
	var found []string
	for _, file := range sources(t) {
		path := file.set.Position(file.tree.Package).Filename
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(filepath.Join("..", ".."), path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		for number, line := range slices.Collect(strings.Lines(string(data))) {
			if !chinese.MatchString(line) {
				continue
			}
			found = append(found, name)
			if chineseElsewhere[name] == "" {
				t.Errorf("%s:%d: Chinese in Go code: write an English message with package message, and its Chinese text in zh.po", name, number+1)
			}
		}
	}
	for name := range chineseElsewhere {
		if !slices.Contains(found, name) {
			t.Errorf("%s contains no Chinese: remove it from chineseElsewhere", name)
		}
	}
}
