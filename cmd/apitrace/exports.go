package main

import (
	"io"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/export"
)

// exports are the outputs that are made for other programs, in the order in which
// messages name them. lang is "en" or "zh".
var exports = []struct {
	name  string
	write func(w io.Writer, recording *trace.Recording, lang string) error
}{
	{"yaml", func(w io.Writer, recording *trace.Recording, _ string) error { return export.WriteYAML(w, recording) }},
	{"chrome", func(w io.Writer, recording *trace.Recording, _ string) error { return export.WriteChrome(w, recording) }},
	{"folded", func(w io.Writer, recording *trace.Recording, _ string) error { return export.WriteFolded(w, recording) }},
	{"mermaid", writeMermaid},
}

func exportNames() []string {
	var names []string
	for _, e := range exports {
		names = append(names, e.name)
	}
	return names
}

// writeExport writes the output of the name, and tells whether there is one.
func writeExport(w io.Writer, name string, recording *trace.Recording, lang string) (bool, error) {
	for _, e := range exports {
		if e.name == name {
			return true, e.write(w, recording, lang)
		}
	}
	return false, nil
}

func writeMermaid(w io.Writer, recording *trace.Recording, lang string) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	return export.WriteMermaid(w, recording, export.DiagramOptions{Guide: guideOf(guide, recording), Lang: lang})
}
