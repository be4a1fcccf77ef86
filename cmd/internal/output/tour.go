package output

import (
	"io"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/render/tour"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteTour writes a recording as a tour for VS Code's CodeTour. lang is "en", "zh", or ""
// for the locale's language.
func WriteTour(w io.Writer, recording *trace.Recording, lang string) error {
	lang, err := Language(lang)
	if err != nil {
		return err
	}
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	choice := tour.Choice{Most: view.StepsPerRequest(len(recording.Requests)), Lang: lang}
	return tour.Write(w, recording, guide.ForReader(lang, recording), choice)
}
