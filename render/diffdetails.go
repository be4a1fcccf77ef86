package render

import (
	"fmt"
	"path"
	"slices"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// details are the lines below a node's own: what it was, and where that stood.
func (d *diffDrawing) details(c ShownChange, width int) []string {
	var lines []string
	add := func(left, right string) {
		room := width - lipgloss.Width(right) - 1
		lines = append(lines, twoSided{d.Value.Render(d.fit(left, room)), d.Place.Render(right)}.join(width))
	}
	switch c.Kind {
	case diff.Renamed:
		add(d.words.was+" "+d.Diff.A.Call(c.A).ShortName(), placeOf(d.Diff.A.Call(c.A)))
	case diff.Moved:
		if parent := d.Diff.A.Parent(c.A); parent >= 0 {
			add(d.words.movedFrom+" "+d.Diff.A.Call(parent).ShortName(), placeOf(d.Diff.A.Call(c.A)))
		}
	case diff.Repeated:
		add(fmt.Sprintf("%s%d %s %s%d", d.times, c.CountA, d.arrow, d.times, c.CountB), placeOf(d.Diff.A.Call(c.A)))
	case diff.Reordered:
		add(d.words.kinds[string(c.Kind)], placeOf(d.Diff.A.Call(c.A)))
	case diff.Timed:
		add(fmt.Sprintf("%s: %s %s %s", d.words.kinds[string(c.Kind)], d.duration(c.OwnNsA), d.arrow, d.duration(c.OwnNsB)), placeOf(d.Diff.A.Call(c.A)))
	case diff.Valued:
		for _, v := range c.Values {
			add(fmt.Sprintf("%s: %s %s %s", label(v.Name, false), quoteEmpty(oneLine(shorten(v.A))), d.arrow, quoteEmpty(oneLine(shorten(v.B)))), placeOf(d.Diff.A.Call(c.A)))
		}
	}
	if d.options.Links {
		for _, url := range changeURLs(d.comparison, d.Diff, c.Change) {
			lines = append(lines, d.Place.Render(url))
		}
	}
	return lines
}

func placeOf(call *trace.Call) string {
	if call.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(call.File), call.Line)
}

// changeURLs are where upstream shows the code of a change: the comparison of the file
// if both releases have it, else its places.
func changeURLs(c *diff.Comparison, d *diff.Diff, change diff.Change) []string {
	var urls []string
	add := func(url string) {
		if url != "" && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	if change.A != diff.None {
		add(SourceURL(c.A, d.A.Call(change.A)))
	}
	if change.B != diff.None {
		add(SourceURL(c.B, d.B.Call(change.B)))
	}
	if change.A != diff.None && change.B != diff.None && d.A.Call(change.A).File == d.B.Call(change.B).File {
		add(CompareURL(c.A, c.B, d.B.Call(change.B)))
	}
	return urls
}
