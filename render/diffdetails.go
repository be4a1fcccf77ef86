package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/view"
)

// details returns the lines, of a width, that describe the change of a call: its old form and place.
func (d *diffDrawing) details(c ShownChange, width int) []string {
	var lines []string
	for _, text := range d.detailTexts(c) {
		for _, line := range wrapNames(text, width) {
			lines = append(lines, d.Value.Render(line))
		}
	}
	for _, url := range d.links(c) {
		lines = append(lines, d.Place.Render(url))
	}
	return lines
}

// detailTexts are the texts of details.
func (d *diffDrawing) detailTexts(c ShownChange) []string {
	var lines []string
	add := func(text, place string) { lines = append(lines, strings.TrimSpace(text+" "+place)) }
	switch c.Kind {
	case diff.Renamed:
		add(d.words.Sprintf("was")+" "+d.Diff.A.Call(c.A).ShortName(), d.placeIn(d.Diff.A.Call(c.A)))
	case diff.Moved:
		if parent := d.Diff.A.Parent(c.A); parent >= 0 {
			add(d.words.Sprintf("was called by")+" "+d.Diff.A.Call(parent).ShortName(), d.placeIn(d.Diff.A.Call(c.A)))
		}
	case diff.Repeated:
		add(fmt.Sprintf("%s%d %s %s%d", d.times, c.CountA, d.arrow, d.times, c.CountB), d.otherPlace(c))
	case diff.Reordered:
		add(d.words.kind(c.Kind), d.otherPlace(c))
	case diff.Timed:
		add(d.words.Sprintf("%s: %s %s %s", d.words.kind(c.Kind), d.duration(c.OwnNsA), d.arrow, d.duration(c.OwnNsB)), d.otherPlace(c))
	case diff.Valued:
		for _, v := range c.Values {
			was, is := view.InWordsApart(v)
			add(fmt.Sprintf("%s: %s %s %s", label(v.Name, false), view.QuoteEmpty(oneLine(was)), d.arrow, view.QuoteEmpty(oneLine(is))), d.otherPlace(c))
		}
	}
	return lines
}

// links are where upstream shows the code of a change, if that is asked for.
func (d *diffDrawing) links(c ShownChange) []string {
	if !d.options.Links {
		return nil
	}
	return changeURLs(d.comparison, d.Diff, c.Change)
}

// placeIn is where a call's function is declared, as in the tree.
func (d *diffDrawing) placeIn(call *trace.Call) string { return d.story.Names.Place(call) }

// otherPlace is where the function of a change was declared, "" if it still is there: the line of the step has that.
func (d *diffDrawing) otherPlace(c ShownChange) string {
	was := d.placeIn(d.Diff.A.Call(c.A))
	if was == d.placeIn(d.Diff.B.Call(c.B)) {
		return ""
	}
	return was
}

// changeURLs returns the addresses at which upstream shows the code of a change: the comparison of
// the file if both releases have it, else the places of the calls.
func changeURLs(c *diff.Comparison, d *diff.Diff, change diff.Change) []string {
	var urls []string
	add := func(url string) {
		if url != "" && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	if change.A != diff.None {
		add(c.A.SourceURL(d.A.Call(change.A)))
	}
	if change.B != diff.None {
		add(c.B.SourceURL(d.B.Call(change.B)))
	}
	if change.A != diff.None && change.B != diff.None && d.A.Call(change.A).File == d.B.Call(change.B).File {
		add(trace.CompareURL(c.A, c.B, d.B.Call(change.B)))
	}
	return urls
}
