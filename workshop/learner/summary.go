package learner

import (
	"bytes"
	"context"
	"fmt"
	"html/template"

	"github.com/yuin/goldmark"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
)

// summaryPage is the HTML page around a summary. It refers to no other files.
var summaryPage = template.Must(template.New("summary").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>apitrace workshop</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }</style>
{{.Body}}</html>
`))

// Summary prints the learner's results and times: as an HTML page if html is set, or else
// as Markdown, laid out in a terminal.
func (l *Learner) Summary(ctx context.Context, html bool) error {
	if err := l.mustHaveExercises(); err != nil {
		return err
	}
	events, err := l.state.Read(ctx)
	if err != nil {
		return err
	}
	text := workshop.Summarize(l.course, events).Markdown(l.lang)
	if !html {
		if l.columns > 0 {
			text = l.lay(workshop.Text{En: text, Zh: text}, 0)
		}
		_, err := fmt.Fprint(l.out, text)
		return err
	}
	var body bytes.Buffer
	if err := goldmark.Convert([]byte(text), &body); err != nil { // goldmark leaves raw HTML out
		return message.Errorf("making a page of the summary: %w", err)
	}
	return summaryPage.Execute(l.out, map[string]any{"Lang": l.lang, "Body": template.HTML(body.String())})
}
