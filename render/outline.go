package render

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/view"
)

// WriteOutline describes each request of a recording in a few sentences, each with its
// function, place and time. The traces must have an Outline.
func WriteOutline(w io.Writer, traces []*view.Trace, options Options) error {
	return writeTraces(w, traces, &options, (*traceDrawing).writeOutline)
}

// writeOutline writes the outline of one trace.
func (d *traceDrawing) writeOutline() {
	d.writeHeading()
	fmt.Fprintln(d.out)
	for i := range d.trace.Outline {
		d.writeSentence(&d.trace.Outline[i])
	}
	if len(d.trace.Outline) == 0 {
		d.writeWrapped(d.out, d.Facts, d.words.Sprintf("no sentence of the outline is about these calls: without --view outline their steps are shown"))
	}
	d.writeStored()
}

// writeSentence writes a sentence as a paragraph, after the title of its
// layer. The function, its place and the time are below the paragraph.
func (d *traceDrawing) writeSentence(s *view.OutlineSentence) {
	number := fmt.Sprintf("%2d  ", s.Number)
	indent := strings.Repeat(" ", lipgloss.Width(number))
	title := s.Title + d.colon()
	for i, line := range wrapNames(title+s.Text, d.width-len(indent)) {
		if i > 0 {
			fmt.Fprintln(d.out, indent+line)
			continue
		}
		if rest := strings.TrimPrefix(line, title); len(rest) < len(line) {
			line = d.headingStyle(s.Layer).Render(title) + rest
		}
		fmt.Fprintln(d.out, number+line)
	}
	where := fmt.Sprintf("%s %s, %s", s.Name, s.Place, s.Took)
	for _, line := range wrapNames(where, d.width-len(indent)) {
		fmt.Fprintln(d.out, indent+d.Facts.Render(line))
	}
	d.writeServers(s.Servers, indent)
}

// writeServers draws servers, each below the server that passes requests on to
// it.
func (d *traceDrawing) writeServers(servers []view.Server, indent string) {
	for n, server := range servers {
		lead := ""
		if n > 0 {
			lead = strings.Repeat(d.blank, n-1) + strings.TrimSuffix(d.last, " ") + d.Into + " "
		}
		below := indent + strings.Repeat(" ", lipgloss.Width(lead)+2)
		fmt.Fprintln(d.out, indent+d.Guide.Render(lead)+d.Key.Render(server.Name))
		text := d.words.Sprintf("%s, %s: %s",
			d.words.Plural(server.Resources, "%d resource", "%d resources and subresources", server.Resources),
			d.words.Plural(server.Routes, "%d route", "%d routes", server.Routes), d.list(server.Versions))
		for _, line := range wrapNames(text, d.width-len(below)) {
			fmt.Fprintln(d.out, below+d.Facts.Render(line))
		}
	}
}
