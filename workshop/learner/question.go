package learner

import (
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/workshop"
)

// QuestionHTML returns the question of an exercise in both languages, with its steps or
// statements, as HTML without scripts.
func QuestionHTML(e *workshop.Exercise) (workshop.Text, error) {
	en, zh := &html{lang: "en"}, &html{lang: "zh"}
	text := workshop.Text{En: en.of(asked(e, "en")), Zh: zh.of(asked(e, "zh"))}
	if en.err != nil {
		return text, en.err
	}
	return text, zh.err
}

// asked returns the question as Markdown, in one language. The Text has it in both fields.
func asked(e *workshop.Exercise, lang string) workshop.Text {
	var text strings.Builder
	text.WriteString(e.Question.In(lang))
	item := func(at int, of workshop.Text) {
		fmt.Fprintf(&text, "\n\n**%c** %s", 'A'+at, strings.TrimSpace(of.In(lang)))
	}
	for at, step := range e.Shown() {
		item(at, e.Order[step].Text)
	}
	for at := range e.Choose {
		item(at, e.Choose[at].Text)
	}
	return workshop.Text{En: text.String(), Zh: text.String()}
}
