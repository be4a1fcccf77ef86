package gates

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Page has the facts about a gate in a release.
type Page struct {
	Gate *Gate
	// Release is the release of Places.
	Release string
	Places  []*Place
	// Latest is the newest recorded release if the user chose no release, else "".
	Latest string
	// Recorded counts the recorded scenarios of the release.
	Recorded int
}

// Declared returns the file and the line that declare a function of a program.
type Declared func(program, version, function string) (file string, line int, err error)

// NewPage returns the page of a gate in a recorded release, or in the newest one that has the gate
// if release is "". It asks declared for the lines of functions that no recording calls. An error
// of declared means that the line is not known.
func NewPage(g *Gate, release string, declared Declared) (*Page, error) {
	page := &Page{Gate: g, Release: release}
	var err error
	if release == "" {
		if page.Latest, err = recordings.Resolve(recordings.Latest); err != nil {
			return nil, err
		}
		if page.Release, err = recordings.Resolve(semver.MajorMinor(g.Newest())); err != nil {
			return nil, err
		}
	}
	of, err := recordings.All(page.Release)
	if err != nil {
		return nil, err
	}
	page.Recorded = len(of)
	if page.Places, err = Places(g.Name, page.Release, of); err != nil {
		return nil, err
	}
	for _, p := range page.Places {
		if p.Line > 0 {
			continue
		}
		if file, line, err := declared(p.Program, page.Release, p.Function); err == nil {
			p.File, p.Line = file, line
		}
	}
	return page, nil
}

// mostDecisions is the maximum number of calls that are listed for a function.
const mostDecisions = 6

// Write writes the page.
func (p *Page) Write(w io.Writer, printer message.Printer) error {
	out := &writer{bufio.NewWriter(w), printer}
	fmt.Fprintln(out, p.Gate.Name)
	out.paragraph("", out.Sprintf("a feature gate of %s", p.Gate.programs()))
	out.defaults(p.Gate)
	if p.Latest != "" && p.Latest != p.Release {
		out.paragraph("", out.Sprintf("Kubernetes %s has no such gate. The newest release with it is %s.", p.Latest, p.Release))
	}
	if !p.Gate.Has(p.Release) {
		out.paragraph("", out.Sprintf("Kubernetes %s has no such gate.", p.Release))
		return out.Flush()
	}
	var asks, decides []*Place
	for _, place := range p.Places {
		if len(place.Asks) > 0 {
			asks = append(asks, place)
		}
		if len(place.Decides) > 0 {
			decides = append(decides, place)
		}
	}
	if len(p.Places) == 0 {
		out.paragraph("", out.Sprintf("No function of the traced packages of %s asks for it.", p.Release))
		return out.Flush()
	}
	if len(asks) > 0 {
		out.title(out.Sprintf("asked for in %s by", p.Release))
	}
	for _, place := range asks {
		out.place(place, place.Asks)
		out.scenarios(place, p.Recorded)
	}
	if len(decides) > 0 {
		out.title(out.Sprintf("calls that depend on it in %s", p.Release))
	}
	for _, place := range decides {
		out.place(place, nil)
		if len(place.Asks) == 0 {
			out.scenarios(place, p.Recorded)
		}
		out.decisions(place)
	}
	out.note(p)
	return out.Flush()
}

// WriteHistory writes a gate's default in each release.
func (g *Gate) WriteHistory(w io.Writer, p message.Printer) error {
	out := &writer{bufio.NewWriter(w), p}
	table := text.NewTable(2)
	head := []any{p.Sprintf("RELEASE")}
	for _, of := range g.Of {
		head = append(head, of.Program)
	}
	table.Row(head...)
	for r := range g.Of[0].Defaults {
		row := []any{g.Of[0].Defaults[r].Release}
		for _, of := range g.Of {
			row = append(row, out.defaultOf(of.Defaults[r]))
		}
		table.Row(row...)
	}
	if err := table.Write(out); err != nil {
		return err
	}
	out.paragraph("", p.Sprintf("The default of feature gate %s, from upstream's tables in one patch release of each minor version. \"apitrace explain %[1]s\" lists the places that ask for it.", g.Name))
	return out.Flush()
}

// Summary says in one line which programs have the gate, its default in its newest
// release, the default before, and which release lacks it then.
func (g *Gate) Summary() message.Message {
	newest := g.Newest()
	for _, of := range g.Of {
		spans := Spans(of.Defaults)
		for i, span := range spans {
			if span.Last == newest && span.Known {
				in := message.Of("from %s to %s", span.First, span.Last)
				if span.First == span.Last {
					in = message.Of("in %s", span.First)
				}
				if i > 0 && spans[i-1].Known {
					in = message.Of("%s (%s before)", in, DefaultSays(spans[i-1].GateDefault))
				}
				said := message.Of("a feature gate of %s, off by default %s", g.programs(), in)
				if span.On {
					said = message.Of("a feature gate of %s, on by default %s", g.programs(), in)
				}
				if lacks := lacking(of, newest); lacks != "" {
					return message.Of("%s; %s no longer has it", said, lacks)
				}
				return said
			}
		}
	}
	return message.Of("a feature gate of %s", g.programs())
}

// lacking returns the release of the index after the newest one that has a gate, or "".
func lacking(of recordings.Gate, newest string) string {
	at := slices.IndexFunc(of.Defaults, func(d recordings.GateDefault) bool { return d.Release == newest })
	for _, d := range of.Defaults[at+1:] {
		if d.Indexed {
			return d.Release
		}
	}
	return ""
}

func (g *Gate) programs() message.Message {
	var names []string
	for _, of := range g.Of {
		names = append(names, of.Program)
	}
	return message.List(names)
}

type writer struct {
	*bufio.Writer
	message.Printer
}

// paragraph writes a wrapped text. If indent is "", it writes an empty line before the text.
func (w *writer) paragraph(indent, said string) {
	if indent == "" {
		fmt.Fprintln(w)
	}
	for _, line := range text.Wrap(said, text.Width-len(indent)) {
		fmt.Fprintln(w, indent+line)
	}
}

func (w *writer) title(said string) { fmt.Fprintf(w, "\n%s\n", said) }

// defaults writes ranges of releases with the same default.
func (w *writer) defaults(g *Gate) {
	for _, of := range g.Distinct() {
		w.title(w.Sprintf("default in %s", of.Program))
		table := text.NewTable(2)
		for _, span := range Spans(of.Defaults) {
			releases := span.First
			if span.Last != span.First {
				releases = w.Sprintf("%s to %s", span.First, span.Last)
			}
			table.Row("  "+releases, w.defaultOf(span.GateDefault))
		}
		_ = table.Write(w) // the writer keeps its error
	}
}

// Distinct returns the programs of Of, without those that have the defaults of the first.
func (g *Gate) Distinct() []recordings.Gate {
	all := g.Of[:1:1]
	for _, of := range g.Of[1:] {
		if !sameDefaults(g.Of[0], of) {
			all = append(all, of)
		}
	}
	return all
}

// sameDefaults reports whether b has the defaults of a in all releases where the index has
// b's program.
func sameDefaults(a, b recordings.Gate) bool {
	for r, d := range b.Defaults {
		if d.Indexed && (d.Known != a.Defaults[r].Known || d.On != a.Defaults[r].On) {
			return false
		}
	}
	return true
}

func (w *writer) defaultOf(d recordings.GateDefault) string {
	return DefaultSays(d).Localize(w.Printer)
}

// DefaultSays says in words whether a gate is on by default.
func DefaultSays(d recordings.GateDefault) message.Message {
	switch {
	case !d.Indexed:
		return message.Of("unknown: the program is not in the index")
	case !d.Known:
		return message.Of("no such gate")
	case d.On:
		return message.Of("on")
	}
	return message.Of("off")
}

// place writes a function with some of its lines, or with its first line if lines is
// empty.
func (w *writer) place(p *Place, lines []int) {
	file := path.Join(path.Base(path.Dir(p.File)), path.Base(p.File))
	where := w.Sprintf("%s, line not known", file)
	if p.Line > 0 {
		numbers := []string{fmt.Sprint(p.Line)}
		if len(lines) > 0 {
			numbers = nil
		}
		for _, line := range lines {
			numbers = append(numbers, fmt.Sprint(p.Line+line))
		}
		where = file + ":" + strings.Join(numbers, ",")
	}
	fmt.Fprintf(w, "  %s %s\n", funcname.Short(p.Function), where)
}

func (w *writer) scenarios(p *Place, recorded int) {
	if len(p.Scenarios) == 0 {
		w.paragraph("    ", w.Sprintf("no recorded scenario calls it"))
		return
	}
	w.paragraph("    ", w.Sprintf("on the way of %d of %d recorded scenarios: %s", len(p.Scenarios), recorded, message.List(p.Scenarios)))
}

// decisions writes a function's calls that depend on the gate. It lists recorded calls,
// at most mostDecisions, and counts the others.
func (w *writer) decisions(p *Place) {
	written, more := 0, 0
	for _, d := range p.Decides {
		if len(d.Scenarios) == 0 || written == mostDecisions {
			more++
			continue
		}
		written++
		said := w.Sprintf("calls %s in line %d: in %s", funcname.Short(d.Name), p.Line+d.Line, message.List(d.Scenarios))
		if others := without(p.Scenarios, d.Scenarios); len(others) > 0 {
			said = w.Sprintf("%s; not in %s", said, message.List(others))
		}
		w.paragraph("    ", said)
	}
	switch {
	case more > 0 && written > 0:
		w.paragraph("    ", w.Plural(more, "and %d more call", "and %d more calls", more))
	case more > 0:
		w.paragraph("    ", w.Plural(more, "%d call, which no recording shows", "%d calls, which no recording shows", more))
	}
}

func without(all, some []string) []string {
	var rest []string
	for _, s := range all {
		if !slices.Contains(some, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// note explains the limits of the page.
func (w *writer) note(p *Page) {
	said := w.Sprintf("The index of the sources has the traced packages only. A server may set the gate with --feature-gates; the recorded scenarios ran with the default, unless \"apitrace scenarios show\" says otherwise.")
	for _, place := range p.Places {
		if place.Line == 0 {
			said += " " + w.Sprintf("A line is not known if no recording calls the function and the source of %s is not on this machine: \"apitrace source FUNCTION --k8s %[1]s\" fetches it.", p.Release)
			break
		}
	}
	w.paragraph("", said)
}
