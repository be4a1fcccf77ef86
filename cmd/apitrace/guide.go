package main

import (
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/render"
)

// A spokenGuide is the guide in the reader's language.
type spokenGuide struct {
	*instrument.Lookup
	lang   string
	titles map[string]string
}

var _ render.Guide = (*spokenGuide)(nil)

func newSpokenGuide(guide *instrument.Guide, lang string) *spokenGuide {
	g := &spokenGuide{Lookup: guide.Lookup(), lang: lang, titles: map[string]string{}}
	for _, layer := range guide.Layers {
		if title := layer.Title.In(lang); title != "" { // further entries of a layer have none
			g.titles[layer.Name] = title
		}
	}
	return g
}

// Title returns the title of a layer, "" if there is no such layer.
func (g *spokenGuide) Title(layer string) string { return g.titles[layer] }

// Note returns the note of the function's step, "" if it is none.
func (g *spokenGuide) Note(function string) string {
	if step := g.Entry(function).Step; step != nil {
		return step.Note.In(g.lang)
	}
	return ""
}

// Values returns the names of the values of the function's step, as the guide orders them.
func (g *spokenGuide) Values(function string) []string {
	step := g.Entry(function).Step
	if step == nil {
		return nil
	}
	var names []string
	for _, value := range step.Values {
		names = append(names, value.Name)
	}
	return names
}
