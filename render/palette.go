package render

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kubeapitrace/apitrace/view"
)

// A Palette has the styles for the parts of a drawing. The zero value is plain text.
type Palette struct {
	// Request is for the line of the request, Facts for the text around the tree.
	Request, Facts lipgloss.Style
	// Key is for titles and names outside of the tree, Plumbing for the names of
	// steps that are not key steps. Key steps have the style of their layer.
	Key, Plumbing lipgloss.Style
	// Mark is for remarks, such as on a new goroutine or on requests that received
	// an event. Count is for the number of folded or collapsed calls.
	Mark, Count lipgloss.Style
	// Guide is for the lines of the tree.
	Guide lipgloss.Style
	// Place is for the file and line, Duration for the time. Value is for recorded
	// values, Decisive for decisive values (view.Decides), sentences, and changes
	// in etcd.
	Place, Duration, Value, Decisive lipgloss.Style
	// Layer returns the style of a layer. It is nil for plain text.
	Layer func(layer string) lipgloss.Style
	// Note is for the guide's note on a step.
	Note lipgloss.Style
	// Added, Removed and Changed are for the steps of a comparison.
	Added, Removed, Changed lipgloss.Style
	// Error is for errors and panics, Warning for warnings and unfinished calls.
	Error, Warning lipgloss.Style
}

// Colours returns the palette for terminals with all colours. Except for layers, it
// only uses the sixteen colours of the reader's theme.
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

// layerColour returns a style with the colour of a layer.
func layerColour(layer string) lipgloss.Style {
	colour := view.LayerColour(layer)
	if colour == "" {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colour))
}

// layerStyle returns the style of a layer's key steps.
func (p *Palette) layerStyle(layer string) lipgloss.Style {
	if p.Layer == nil {
		return lipgloss.NewStyle()
	}
	return p.Layer(layer)
}

// headingStyle returns the style of a layer's headings.
func (p *Palette) headingStyle(layer string) lipgloss.Style {
	if p.Layer == nil {
		return lipgloss.NewStyle()
	}
	return p.Layer(layer).Bold(true)
}

// StyleOf returns the style of a change. ok is false for view.StepSame.
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
