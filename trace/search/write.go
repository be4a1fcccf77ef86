package search

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// A Result is the result of a search.
type Result struct {
	// Lines are the functions of a line that the text names.
	Lines []Line
	Hits  []Hit
	// Names are names in released sources; see the function Names.
	Names []lineage.Found
	// Gates are feature gates with the text in their names.
	Gates []*gates.Gate
	// Layers are layers of the trees with the text in their titles.
	Layers []Layer
	// Pages are lessons, exercises and documents with the text; see FindPages.
	Pages []Page
}

// A Layer is a layer of the trees: a part of the server.
type Layer struct{ Name, Title string }

// Write writes up to most hits, in the order of Sort, each with its recordings and
// the command that shows it. It then writes up to mostNames names, up to mostNames
// feature gates, all layers, and up to mostNames pages. The lessons and documents that
// are about the text come first of all, see Page.About.
func (r *Result) Write(w io.Writer, most int, p message.Printer) error {
	var out bytes.Buffer
	about, rest := r.pages()
	r.writePages(&out, about, p)
	if len(about) > 0 {
		fmt.Fprintln(&out)
	}
	r.writeLines(&out, p)
	hits := r.Hits
	Sort(hits)
	best := 0
	for best < len(hits) && hits[best].Rank == 0 {
		best++
	}
	for i, h := range hits[:min(len(hits), most)] {
		if i == best {
			fmt.Fprintln(&out, "\n"+p.Sprintf("other functions with this text in their names:"))
		}
		fmt.Fprintln(&out, text.Escape(h.Text))
		for _, line := range where(h.Places, p) {
			fmt.Fprintln(&out, "  "+line)
		}
		fmt.Fprintln(&out, "  "+commandFor(h))
	}
	switch more, others := len(hits)-most, len(hits)-best; {
	case more > 0 && most <= best && others > 0:
		fmt.Fprintln(&out, p.Sprintf("and %d more, %d of them other functions with this text in their names: --most %d lists all", more, others, len(hits)))
	case more > 0:
		fmt.Fprintln(&out, p.Sprintf("and %d more: --most %d lists all", more, len(hits)))
	}
	r.writeNames(&out, p)
	r.writeGates(&out, p)
	r.writeLayers(&out, p)
	if len(rest) > 0 && out.Len() > 0 {
		fmt.Fprintln(&out)
	}
	r.writePages(&out, rest, p)
	_, err := w.Write(out.Bytes())
	return err
}

func (r *Result) writeLines(out io.Writer, p message.Printer) {
	for _, l := range r.Lines {
		fmt.Fprintln(out, text.Escape(l.Function))
		for _, line := range text.Wrap(l.Says().Localize(p), 78) {
			fmt.Fprintln(out, "  "+line)
		}
		fmt.Fprintln(out, "  "+l.Command())
	}
	if len(r.Lines) > 0 && len(r.Hits)+len(r.Names)+len(r.Gates)+len(r.Layers) > 0 {
		fmt.Fprintln(out)
	}
}

// NamesTitle is the title of Result.Names.
var NamesTitle = message.Of("in the released sources (read, not run):")

// mostNames is the maximum number of listed names of released sources, and of
// listed gates.
const mostNames = 8

func (r *Result) writeNames(out io.Writer, p message.Printer) {
	if len(r.Names) == 0 {
		return
	}
	if len(r.Hits) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, NamesTitle.Localize(p))
	for _, n := range r.Names[:min(len(r.Names), mostNames)] {
		fmt.Fprintf(out, "%s\n", n.Name)
		for _, line := range text.Wrap(Fate(n).Localize(p), 78) {
			fmt.Fprintln(out, "  "+line)
		}
		fmt.Fprintln(out, "  "+NameCommand(n))
	}
	if more := len(r.Names) - mostNames; more > 0 {
		fmt.Fprintln(out, p.Sprintf("and %d more names: search for a longer part of the name", more))
	}
}

func (r *Result) writeGates(out io.Writer, p message.Printer) {
	if len(r.Gates) == 0 {
		return
	}
	if len(r.Hits)+len(r.Names) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, p.Sprintf("feature gates:"))
	for _, g := range r.Gates[:min(len(r.Gates), mostNames)] {
		fmt.Fprintln(out, g.Name)
		for _, line := range text.Wrap(g.Summary().Localize(p), 78) {
			fmt.Fprintln(out, "  "+line)
		}
		fmt.Fprintf(out, "  apitrace explain %s\n", g.Name)
	}
	if more := len(r.Gates) - mostNames; more > 0 {
		fmt.Fprintln(out, p.Sprintf("and %d more feature gates: give more of the name", more))
	}
}

func (r *Result) writeLayers(out io.Writer, p message.Printer) {
	if len(r.Layers) == 0 {
		return
	}
	if len(r.Hits)+len(r.Names)+len(r.Gates) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, p.Sprintf("layers of the trees:"))
	for _, l := range r.Layers {
		fmt.Fprintf(out, "%s\n  apitrace show SCENARIO --layer %s\n", l.Title, l.Name)
	}
}

// pages divides the pages. about has the first few with Page.About. If only pages were found,
// all are in others.
func (r *Result) pages() (about, others []Page) {
	const most = 3
	for _, page := range r.Pages {
		if page.About && len(about) < most && len(r.Hits)+len(r.Names)+len(r.Gates)+len(r.Layers) > 0 {
			about = append(about, page)
		} else {
			others = append(others, page)
		}
	}
	return about, others
}

// writePages writes the pages, the scenarios first.
func (r *Result) writePages(out io.Writer, pages []Page, p message.Printer) {
	played, toRead := []Page{}, []Page{}
	for _, page := range pages {
		if page.Kind == Scenario {
			played = append(played, page)
		} else {
			toRead = append(toRead, page)
		}
	}
	writeSome(out, p.Sprintf("scenarios:"), played, p)
	if len(played) > 0 && len(toRead) > 0 {
		fmt.Fprintln(out)
	}
	writeSome(out, p.Sprintf("to read:"), toRead, p)
}

// writeSome writes up to mostNames pages below a title.
func writeSome(out io.Writer, title string, pages []Page, p message.Printer) {
	if len(pages) == 0 {
		return
	}
	fmt.Fprintln(out, title)
	for _, page := range pages[:min(len(pages), mostNames)] {
		fmt.Fprintln(out, p.Sprintf("%s: %s", page.Kind.Title(), text.Escape(page.Title)))
		if page.Heading != "" {
			fmt.Fprintln(out, "  "+page.found().Localize(p))
		}
		fmt.Fprintln(out, "  "+page.Command())
	}
	if more := len(pages) - mostNames; more > 0 {
		fmt.Fprintln(out, p.Sprintf("and %d more: give more words of the title", more))
	}
}

// NameCommand returns the command that tells about a name in released sources.
func NameCommand(n lineage.Found) string {
	command := "history"
	if n.Became.IsZero() && n.Kind == lineage.Function {
		command = "explain"
	}
	return "apitrace " + command + " " + text.ShellWord(funcname.Short(n.Name))
}

// Fate returns a sentence that says which releases have a name, and how it ended.
func Fate(n lineage.Found) message.Message {
	in := message.Of("from %s to %s", n.First, n.Last)
	if n.First == n.Last {
		in = message.Of("in %s", n.First)
	}
	if n.Kind == lineage.Type {
		in = message.Of("a type, %s", in)
	}
	if n.Became.IsZero() {
		return in
	}
	return message.Of("%s; %s", in, n.Became)
}

// Names returns the functions and types of released sources that match a query. It
// leaves out functions that recordings call and that the newest release has under
// the same name. If nothing matches and partly is set, a part of a name is enough.
func Names(query string, partly bool) ([]lineage.Found, error) {
	names, err := lineage.Load()
	if err != nil {
		return nil, err
	}
	recorded, err := Functions()
	if err != nil {
		return nil, err
	}
	return names.Search(query, partly, func(name string) bool {
		_, has := slices.BinarySearch(recorded, name)
		return has && names.Has(lineage.Function, name, names.Releases[len(names.Releases)-1])
	}), nil
}

// A Query describes a search: for a Text, or for values with a name. Value is
// NAME=TEXT or NAME.
type Query struct {
	Text, Value string
	// Release limits the search to a release's recordings and source. "" means all. A line
	// that Text names is of this release, or of the newest one.
	Release string
	// Enclosing finds the function of a line in the sources. It may be nil.
	Enclosing Enclosing
	// Layers are the layers of the trees. Find finds the layers with Text in their
	// titles.
	Layers []Layer
	// Pages are lessons, exercises and documents. Find finds the pages with Text.
	Pages []Page
}

// Validate checks a query, and the wanted number of results.
func (q Query) Validate(most int) error {
	if most < 1 {
		return message.UsageErrorf("--most %d: expected at least 1", most)
	}
	if (q.Text == "") == (q.Value == "") {
		return message.UsageErrorf("expected a text, or --value NAME=TEXT")
	}
	return nil
}

// FindLayers returns the layers with a text in their titles, ignoring case.
func FindLayers(text string, layers []Layer) []Layer {
	return slices.DeleteFunc(slices.Clone(layers), func(l Layer) bool {
		return text == "" || !strings.Contains(strings.ToLower(l.Title), strings.ToLower(text))
	})
}

// Find searches. If it finds nothing, the error suggests another search.
func (q Query) Find() (*Result, error) {
	layers := FindLayers(q.Text, q.Layers)
	pages := FindPages(q.Text, q.Pages)
	lines, err := FindLines(q.Text, q.Release, q.Enclosing)
	if err != nil {
		return nil, err
	}
	found, err := find(q.Text, q.Value)
	if len(layers)+len(pages)+len(lines) > 0 && errors.As(err, new(*trace.UnknownFunctionError)) {
		found, err = &Result{}, nil
	}
	if err != nil {
		return nil, q.withNear(err)
	}
	if found.Lines = lines; q.Release != "" && len(lines) > 0 {
		return found, nil // such a text is in no name
	}
	if found.Layers, found.Pages = layers, pages; q.Release == "" {
		return found, nil
	}
	names, err := lineage.Load()
	if err != nil {
		return nil, err
	}
	of := &Result{Layers: layers, Pages: pages, Names: slices.DeleteFunc(slices.Clone(found.Names), func(n lineage.Found) bool { return !names.Has(n.Kind, n.Name, q.Release) })}
	for _, h := range found.Hits {
		if h.Places = slices.DeleteFunc(slices.Clone(h.Places), func(p Place) bool { return p.Release != q.Release }); len(h.Places) > 0 {
			of.Hits = append(of.Hits, h)
		}
	}
	of.Gates = slices.DeleteFunc(slices.Clone(found.Gates), func(g *gates.Gate) bool { return !g.Has(q.Release) })
	if len(of.Hits)+len(of.Names)+len(of.Gates)+len(of.Layers)+len(of.Pages) == 0 {
		return nil, message.Errorf("nothing found in Kubernetes %s, but other releases have matches: leave --k8s out", q.Release)
	}
	return of, nil
}

func find(query, value string) (*Result, error) {
	if value == "" {
		hits, err := Text(query)
		if err != nil {
			return nil, err
		}
		old, err := Names(query, len(hits) == 0)
		if err != nil {
			return nil, err
		}
		named, err := gates.Search(query)
		if len(hits)+len(old) > 0 { // a text within the name of a gate is probably not meant as the gate
			named = slices.DeleteFunc(named, func(g *gates.Gate) bool { return !g.Means(query) })
		}
		if err != nil || len(hits)+len(old)+len(named) > 0 {
			return &Result{Hits: hits, Names: old, Gates: named}, err
		}
		names, err := Functions()
		if err != nil {
			return nil, err
		}
		return nil, &trace.UnknownFunctionError{Query: query, Where: message.Of("any recording, nor a value or an error with this text"), Near: trace.NearFunctions(query, names)}
	}
	name, value, _ := strings.Cut(value, "=")
	hits, err := values(name, value)
	if err != nil || len(hits) > 0 {
		return &Result{Hits: hits}, err
	}
	if all, err := values(name, ""); err != nil || len(all) > 0 {
		return nil, errors.Join(err, message.Errorf("no recording has a value of %q with %q; it has values such as %s", name, value, text.Escape(all[0].Text)))
	}
	names, err := valueNames()
	if err != nil {
		return nil, err
	}
	return nil, message.Errorf("no value %q is recorded: expected one of %s", name, message.List(names))
}

// where lists scenarios with their releases. Scenarios of the same releases share a
// line.
func where(places []Place, p message.Printer) []string {
	var scenarios []string
	releases := map[string][]string{}
	for _, place := range places {
		if releases[place.Scenario] == nil {
			scenarios = append(scenarios, place.Scenario)
		}
		releases[place.Scenario] = append(releases[place.Scenario], place.Release)
	}
	slices.Sort(scenarios)
	var ranges []string
	byRange := map[string][]string{}
	for _, s := range scenarios {
		of := releases[s]
		r := of[0]
		if len(of) > 1 {
			r = p.Sprintf("%s to %s (%d)", of[0], of[len(of)-1], len(of))
		}
		if byRange[r] == nil {
			ranges = append(ranges, r)
		}
		byRange[r] = append(byRange[r], s)
	}
	var lines []string
	for _, r := range ranges {
		const most = 6
		names := byRange[r]
		if more := len(names) - most; more > 1 {
			names = append(slices.Clone(names[:most]), p.Sprintf("%d more", more))
		}
		lines = append(lines, p.Sprintf("%s: %s", message.List(names), r))
	}
	return lines
}

// simplest returns the place of a hit to read first. It is in the newest release of the hit.
// Scenarios with short names are simple: get-node comes before get-node-cached. A start is large,
// and comes last.
func (h *Hit) simplest() Place {
	newest := h.Places[len(h.Places)-1].Release
	rank := func(p Place) int {
		switch {
		case p.Release != newest:
			return 2
		case strings.HasPrefix(p.Scenario, "boot"):
			return 1
		}
		return 0
	}
	return slices.MinFunc(h.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.Scenario), len(b.Scenario)), strings.Compare(a.Scenario, b.Scenario))
	})
}

// commandFor returns the command that shows a hit in its newest release.
func commandFor(h Hit) string {
	p := h.simplest()
	command := fmt.Sprintf("apitrace show %s --k8s %s ", p.Scenario, p.Release)
	switch h.Kind {
	case Function:
		return command + "--function " + text.ShellWord(funcname.Short(h.Text))
	case Value:
		_, value, _ := strings.Cut(h.Text, "=")
		return command + "--view full --grep " + text.ShellWord(grepFor(value))
	}
	return command + "--view full --grep " + text.ShellWord(grepFor(h.Text))
}

// grepFor returns a regular expression that finds a text by its beginning.
func grepFor(s string) string {
	const most = 40
	runes := []rune(s)
	s = string(runes[:min(len(runes), most)])
	return regexpSpecial.ReplaceAllString(s, ".")
}

var regexpSpecial = regexp.MustCompile(`[^\p{L}\p{N} _/:=-]`)
