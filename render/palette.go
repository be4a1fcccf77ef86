package render

import "charm.land/lipgloss/v2"

// A Palette gives each part of a view its style. The zero value is plain text.
type Palette struct {
	// Request is the line that names the request, Facts what stands around the tree.
	Request, Facts lipgloss.Style
	// Key is the name of a key step, Plumbing that of any other call.
	Key, Plumbing lipgloss.Style
	// Mark is "go", the name of the process entered, and the arrow of a
	// continuation; Count is how many calls are folded or collapsed.
	Mark, Count lipgloss.Style
	// Guide is the lines of the tree.
	Guide lipgloss.Style
	// Place is file and line, Duration the time, Value what the guide recorded.
	Place, Duration, Value lipgloss.Style
	// Note is what the guide says of a step.
	Note lipgloss.Style
	// Added, Removed and Changed are the lines of a diff.
	Added, Removed, Changed lipgloss.Style
	// Error is errors and panics, Warning what is unfinished or incomplete.
	Error, Warning lipgloss.Style
}

// Colours returns the palette for terminals. It uses the sixteen colours that
// the reader's own theme defines.
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
		Place:    plain.Foreground(lipgloss.Cyan),
		Duration: plain.Foreground(lipgloss.Green),
		Value:    dim,
		Note:     plain.Italic(true),
		Added:    plain.Foreground(lipgloss.Green),
		Removed:  plain.Foreground(lipgloss.Red),
		Changed:  plain.Foreground(lipgloss.Yellow),
		Error:    plain.Foreground(lipgloss.Red),
		Warning:  plain.Foreground(lipgloss.Yellow).Bold(true),
	}
}
