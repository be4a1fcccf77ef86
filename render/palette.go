package render

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kubeapitrace/apitrace/view"
)

// A Palette gives a view's parts their styles. The zero value is plain text.
type Palette struct {
	// Request is for the line of the request, Facts for the text around the tree.
	Request, Facts lipgloss.Style
	// Key is the name of a key step, Plumbing of another call.
	Key, Plumbing lipgloss.Style
	// Mark is "go", the name of the process entered, and a continuation's arrow.
	// Count is the number of folded or collapsed calls.
	Mark, Count lipgloss.Style
	// Guide is the lines of the tree.
	Guide lipgloss.Style
	// Place is file and line. Duration is the time. Value is a recorded value, Decisive
	// one that decided the request.
	Place, Duration, Value, Decisive lipgloss.Style
	// Layer returns a layer's style; nil for plain text.
	Layer func(layer string) lipgloss.Style
	// Note is the guide's note on a step.
	Note lipgloss.Style
	// Added, Removed and Changed are lines of a diff.
	Added, Removed, Changed lipgloss.Style
	// Error is for errors and panics, Warning for unfinished or incomplete calls.
	Error, Warning lipgloss.Style
}

// Colours returns the palette for terminals. Except for layers, it uses the
// sixteen colours of the reader's theme.
func Colours() Palette {
	plain := lipgloss.NewStyle()
	dim := plain.Faint(true)
	return Palette{
		Request:  plain.Bold(true),
		Facts:    dim,
		Key:      plain.Bold(true),
		Plumbing: plain,
		Mark:     plain.Foreground(lipgloss.Magenta),
		Count:    plain.Foreground(lipgloss.Yellow),
		Guide:    dim,
		Place:    dim,
		Duration: dim,
		Value:    plain,
		Decisive: plain.Bold(true),
		Layer:    layerColour,
		Note:     plain.Italic(true),
		Added:    plain.Foreground(lipgloss.Green),
		Removed:  plain.Foreground(lipgloss.Red),
		Changed:  plain.Foreground(lipgloss.Yellow),
		Error:    plain.Foreground(lipgloss.Red),
		Warning:  plain.Foreground(lipgloss.Yellow).Bold(true),
	}
}

// ColoursFor returns Colours for a terminal with fewer colours. Layers get the nearest
// colour that the terminal has.
func ColoursFor(profile colorprofile.Profile) Palette {
	p := Colours()
	p.Layer = func(layer string) lipgloss.Style {
		style := layerColour(layer)
		return style.Foreground(profile.Convert(style.GetForeground()))
	}
	return p
}

// layerColour is a layer's colour, the same everywhere.
func layerColour(layer string) lipgloss.Style {
	colour := view.LayerColour(layer)
	if colour == "" {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colour))
}

// layerStyle is the style of a layer's steps.
func (p *Palette) layerStyle(layer string) lipgloss.Style {
	if p.Layer == nil {
		return lipgloss.NewStyle()
	}
	return p.Layer(layer)
}

// headingStyle is the style of a layer's headings.
func (p *Palette) headingStyle(layer string) lipgloss.Style {
	if p.Layer == nil {
		return lipgloss.NewStyle()
	}
	return p.Layer(layer).Bold(true)
}

// StyleOf returns a change's style; ok is false for view.StepSame.
func (p *Palette) StyleOf(change view.ChangeKind) (style lipgloss.Style, ok bool) {
	switch change {
	case view.StepAdded:
		return p.Added, true
	case view.StepRemoved:
		return p.Removed, true
	case view.StepChanged:
		return p.Changed, true
	}
	return lipgloss.NewStyle(), false
}
