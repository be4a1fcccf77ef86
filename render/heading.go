package render

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/view"
)

// writeHeading writes the request, the facts, how the request failed, the warnings,
// and the functions that still run.
func (d *traceDrawing) writeHeading() {
	t := d.trace
	d.writeWrapped(d.out, d.Request, t.Request)
	d.writeWrapped(d.out, d.Facts, t.Facts)
	if t.FailureHidden {
		d.writeWrapped(d.out, d.Facts, t.Failure)
	} else if t.Failure != "" {
		d.writeWrapped(d.out, d.Error, t.Failure)
	}
	for _, warning := range t.Warnings {
		d.writeWrapped(d.out, d.Warning, warning)
	}
	if t.Running != "" {
		d.writeWrapped(d.out, d.Facts, t.Running)
	}
}

// writeKey says how many calls are folded. If Layout.Legend is set, the first trace
// of a recording has a line before this one, which explains the signs.
func (d *traceDrawing) writeKey() {
	if d.first && d.legend {
		d.writeWrapped(d.out, d.Facts, d.legendLine())
	}
	switch n := d.trace.Folded; {
	case n > 0 && d.filtered:
		d.writeWrapped(d.out, d.Facts, d.words.Plural(n, "without the filter, --view full shows the %s folded call", "without the filter, --view full shows the %s folded calls", view.Thousands(n)))
	case n > 0:
		d.writeWrapped(d.out, d.Facts, d.words.Plural(n, "--view full shows the %s folded call", "--view full shows the %s folded calls", view.Thousands(n)))
	}
}

// legendLine explains as many signs as fit on a line, and ends with the command that
// explains all signs.
func (d *traceDrawing) legendLine() string {
	var texts []string
	if d.trace.Folded > 0 {
		texts = append(texts, d.words.Sprintf("%s9: 9 calls folded there", d.Folded))
	}
	if len(d.trace.Sections) > 1 {
		texts = append(texts, d.words.Sprintf("%s 2: see section 2", d.Into))
	}
	if d.trace.Folded > 0 {
		texts = append(texts, d.words.Sprintf("%s: called through folded calls", strings.TrimSpace(strings.ReplaceAll(d.branch, d.dash, d.dashed))))
	}
	all := d.words.Sprintf("more: apitrace show --signs")
	line, between := "", d.words.Sprintf("; ")
	for _, text := range texts {
		if lipgloss.Width(line+text+between+all) > d.width {
			break
		}
		line += text + between
	}
	return line + all
}

// writeFooter lists the changes in etcd and the requests that received their events,
// and says which calls are hidden and how to show them.
func (d *traceDrawing) writeFooter() {
	d.writeStored()
	for _, delivery := range d.trace.Delivered {
		d.writeWrapped(d.out, d.Mark, delivery)
	}
	for _, text := range d.hidden() {
		d.writeWrapped(d.out, d.Facts, text)
	}
}

// writeStored lists the keys that the request changed in etcd.
func (d *traceDrawing) writeStored() {
	fmt.Fprintln(d.out)
	for _, text := range d.trace.Stored {
		d.writeWrapped(d.out, d.Decisive, text)
	}
}

// hidden says how many calls are hidden and which flag shows them.
func (d *traceDrawing) hidden() []string {
	var texts []string
	if f := d.trace.Filtered; f != nil {
		texts = append(texts, d.matching(f))
	}
	if n := d.trace.Cut; n > 0 {
		texts = append(texts, d.words.Sprintf("%s calls lie deeper than --depth %d.", view.Thousands(n), d.trace.Depth))
	}
	return texts
}

// matching says how many calls the filter selects, how many of these are hidden,
// and how many other calls are shown or failed.
func (d *traceDrawing) matching(f *view.Filtered) string {
	flags := strings.Join(f.Flags, " ")
	if f.Matching == 0 {
		return d.words.Sprintf("no call matches %s", flags)
	}
	text := d.words.Plural(f.Matching, "%s call matches %s", "%s calls match %s", view.Thousands(f.Matching), flags)
	if f.Leading > 0 {
		text += d.words.Plural(f.Leading, "; %s more call leads there", "; %s more calls lead there", view.Thousands(f.Leading))
	}
	if f.Plumbing > 0 {
		text += d.words.Sprintf("; %s of them are not key steps: --view full", view.Thousands(f.Plumbing))
	}
	if f.Handled > 0 {
		text += d.words.Sprintf("; %s more had an error that a caller dealt with: --view full", view.Thousands(f.Handled))
	}
	return text
}
