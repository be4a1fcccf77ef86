// Package reading lists what a reader can search for besides calls: layers, scenarios,
// lessons, exercises and documents.
package reading

import (
	"strings"

	"github.com/kubeapitrace/apitrace/docs"
	"github.com/kubeapitrace/apitrace/docs/lessons"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/workshop"
)

// Layers lists the layers of the guide that have a title, with their titles in a language.
func Layers(lang string) ([]search.Layer, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	var all []search.Layer
	for _, l := range guide.Layers {
		if title := l.Title.In(lang); title != "" { // one entry of each layer has the title
			all = append(all, search.Layer{Name: l.Name, Title: title})
		}
	}
	return all, nil
}

// Pages lists the lessons, the exercises of the embedded course, and the documents, with
// their titles in a language.
func Pages(lang string) ([]search.Page, error) {
	all, err := Lessons(lang)
	if err != nil {
		return nil, err
	}
	course, err := workshop.Open("")
	if err != nil {
		return nil, err
	}
	for _, e := range course.Exercises() {
		all = append(all, search.Page{Kind: search.Exercise, Name: e.Name, Title: e.Title.In(lang)})
	}
	for _, name := range docs.Names() {
		file, text, err := docs.File(name, lang)
		if err != nil {
			return nil, err
		}
		all = append(all, page(search.Document, "docs/"+file, text))
	}
	return all, nil
}

// Scenarios lists the scenarios of the library, with their titles in a language.
func Scenarios(lang string) ([]search.Page, error) {
	library, err := scenarios.List()
	if err != nil {
		return nil, err
	}
	var all []search.Page
	for _, s := range library {
		all = append(all, search.Page{Kind: search.Scenario, Name: s.Name, Title: s.Title.In(lang), Headings: s.Sends()})
	}
	return all, nil
}

// Lessons lists the lessons and the reference pages, with their titles in a language.
func Lessons(lang string) ([]search.Page, error) {
	var all []search.Page
	for _, name := range lessons.Names() {
		text, err := lessons.Page(name, lang)
		if err != nil {
			return nil, err
		}
		all = append(all, page(search.Lesson, name, text))
	}
	return all, nil
}

// page reads the title and the headings of a text in Markdown.
func page(kind search.PageKind, name, text string) search.Page {
	p := search.Page{Kind: kind, Name: name}
	inCode := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		heading := strings.TrimLeft(line, "#")
		if inCode || heading == line || !strings.HasPrefix(heading, " ") {
			continue
		}
		if heading = strings.ReplaceAll(strings.TrimSpace(heading), "`", ""); p.Title == "" {
			p.Title = heading
		} else {
			p.Headings = append(p.Headings, heading)
		}
	}
	return p
}
