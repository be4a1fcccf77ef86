package explain

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Page has all known facts about a function.
type Page struct {
	// Function is the full name.
	Function string
	// Layer is the title of the function's layer, or "".
	Layer string
	// Note is the guide's note, or "" if the function is not a key step.
	Note string
	// File and Line are the function's place. File is "" if unknown.
	File string
	Line int
	// Program is the program with this source: "kube-apiserver v1.37.1".
	Program string
	// URL is the source's address, or "" if unknown.
	URL string
	// Activities are the function's activity in the recordings, by request.
	Activities []Activity
	// Merged asks for an overview instead of each activity.
	Merged bool
	// Recordings counts the recordings that were searched.
	Recordings int
	// Version is the release of Kubernetes. Scenario is a scenario that calls the
	// function in another release, or "".
	Version, Scenario string
	// Server has the flags for later commands that select an API server behind the
	// aggregator, and its kube-apiserver. It is "" for kube-apiserver itself.
	Server string
	// Source is the entry in the index of the sources, or nil.
	Source *recordings.Source
	// Spanless are the text's calls of functions without a span, in order.
	Spanless []Neighbour
	// Gates are the feature gates that the text asks for, in order of the lines.
	Gates []AskedGate
	// Static has the facts from the source alone, for a release that cannot be built.
	Static *Static
	// Untraced is set if the index has the release but none of this package's
	// functions.
	Untraced bool
}

// An AskedGate is a feature gate that the text of a function asks for.
type AskedGate struct {
	Name string
	// Line is the line of the file that asks.
	Line int
	// Says describes the gate's default.
	Says message.Message
}

// A Static has the facts about a function that its source shows without a run.
type Static struct {
	// Callers are the callers' full names. Known is false if the source alone does not
	// show them.
	Callers []string
	Known   bool
}

// WriteOptions set how a page is printed.
type WriteOptions struct {
	// Width is the number of columns. 0 means 80. A line with a function's name or an
	// address may be longer.
	Width int
	// Colour makes titles stand out.
	Colour bool
	// ASCII restricts the output to ASCII characters.
	ASCII bool
	// Lang is the labels' language, "en" or "zh". "" means "en".
	Lang string
}

// Write prints the page.
func (p *Page) Write(w io.Writer, o WriteOptions) error {
	if o.Width <= 0 {
		o.Width = 80
	}
	out := &pageWriter{Writer: bufio.NewWriter(w), WriteOptions: o, Printer: message.For(o.Lang)}
	out.title(p.Function)
	layer := p.Layer
	if layer == "" {
		layer = out.Sprintf("none")
	}
	out.fact(out.Sprintf("layer"), layer)
	if p.File != "" {
		out.fact(out.Sprintf("place"), fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	out.fact(out.Sprintf("program"), p.Program)
	if p.URL != "" {
		out.fact(out.Sprintf("source"), p.URL)
	}
	if p.Note != "" {
		out.line("")
		out.line("%s", strings.Join(text.WrapLines(p.Note, out.Width), "\n"))
	}
	for _, g := range p.Gates {
		said := out.Sprintf("line %d asks for feature gate %s: %s", g.Line, g.Name, g.Says)
		out.line("\n%s", strings.Join(text.WrapLines(printable(said), out.Width), "\n"))
	}
	if p.Merged && len(p.Activities) > 0 {
		out.overview(Merge(p.Activities), p.Recordings)
	} else {
		for _, s := range p.Activities {
			out.activity(s)
		}
	}
	switch {
	case p.Static != nil:
		out.static(p)
	case p.Recordings == 0 && p.Server != "":
		out.line("\n%s\n  apitrace run boot %s --save boot.jsonl\n  apitrace request %[2]s GET /apis --save mine.jsonl", out.Sprintf("There is no recording of this server that shows the callers. Make one, and pass it with --trace:"), p.Server)
	case p.Recordings == 0:
		scenario := cmp.Or(p.Scenario, "get-node")
		of := ""
		if p.Version != "" {
			of = " --k8s " + p.Version
		}
		out.line("\n%s\n  apitrace run %s%s --save %[2]s.jsonl", out.Sprintf("There is no recording of this version that shows the callers. Make one:"), scenario, of)
	case len(p.Activities) == 0 && p.Source != nil && p.Source.Spanless != recordings.Spanned:
		out.line("\n%s", out.Sprintf("It has no span, so recordings do not show whether it ran: %s.", p.Source.Spanless.Why()))
	case len(p.Activities) == 0 && p.Untraced:
		of := ""
		if p.Version != "" {
			of = " --k8s " + p.Version
		}
		out.line("\n%s\n  apitrace run SCENARIO%s --trace %s", out.Sprintf("Its package is not traced, so recordings do not show whether it ran. --trace traces it:"), of, funcname.Package(p.Function))
	case len(p.Activities) == 0:
		out.line("\n%s", out.Plural(p.Recordings, "Not called in the %d recording at hand.", "Not called in the %d recordings at hand.", p.Recordings))
		if p.Source != nil {
			out.line("%s", out.Sprintf("It has a span: a recording would show a call of it."))
		}
	}
	if len(p.Spanless) > 0 {
		out.line("")
		out.neighbours(out.Sprintf("calls of functions without a span: recordings do not show whether they were made"), p.Spanless)
	}
	return out.Flush()
}

// static writes the callers according to the source.
func (out *pageWriter) static(p *Page) {
	said := out.Sprintf("%s was not run: apitrace can read its source but cannot build it.", p.Version)
	switch {
	case !p.Static.Known:
		said += " " + out.Sprintf("Many types have a method of this name. Without type information, the source does not show which calls go to this one.")
	case len(p.Static.Callers) == 0:
		said += " " + out.Sprintf("No function in these sources calls it by its name.")
	default:
		said += " " + out.Sprintf("In the source, these functions call it, or a method of its name:")
	}
	out.line("\n%s", strings.Join(text.Wrap(said, min(cmp.Or(out.Width, 80), 80)), "\n"))
	for _, caller := range p.Static.Callers {
		out.line("  %s", funcname.Short(caller))
	}
}

type pageWriter struct {
	*bufio.Writer
	WriteOptions
	message.Printer
}

func (w *pageWriter) line(layout string, args ...any) { fmt.Fprintf(w, layout+"\n", args...) }

func (w *pageWriter) title(text string) {
	text = printable(text)
	if w.Colour {
		text = lipgloss.NewStyle().Bold(true).Render(text)
	}
	w.line("%s", text)
}

func (w *pageWriter) fact(name, text string) {
	w.line("%s%s %s", name, strings.Repeat(" ", max(0, 8-lipgloss.Width(name))), printable(text))
}

func (w *pageWriter) activity(s Activity) {
	w.line("")
	arrow := "→"
	if w.ASCII {
		arrow = "->"
	}
	request := s.Method + " " + s.Path
	if s.Method != trace.MethodStart && s.Method != trace.MethodStop { // the start and the end of a program have no answer
		request = fmt.Sprintf("%s %s %d", request, arrow, s.Status)
	}
	w.title(w.Sprintf("%s: %s", s.Scenario, request))
	w.facts(s)
}

func (w *pageWriter) overview(o Overview, recordings int) {
	w.line("")
	w.title(w.seenIn(o.Requests, len(o.Scenarios), recordings))
	w.names(o.Scenarios)
	w.facts(o.Activity)
}

func (w *pageWriter) seenIn(requests, scenarios, recordings int) string {
	return w.Sprintf("in %[1]s of %[2]d of the %[3]s", w.Plural(requests, "%d request", "%d requests", requests), scenarios,
		w.Plural(recordings, "%d recorded scenario", "%d recorded scenarios", recordings))
}

// names prints a list of names, wrapped at blanks.
func (w *pageWriter) names(all []string) {
	for _, line := range text.Wrap(message.List(all).Localize(w.Printer), w.Width) {
		w.line("%s", line)
	}
}

// facts prints a function's activity, without the request.
func (w *pageWriter) facts(s Activity) {
	calls := w.Plural(s.Calls, "%d call", "%d calls", s.Calls)
	if s.Untimed == s.Calls {
		w.line("%s", w.Sprintf("%s, recorded only on entry, because the function calls nothing", calls))
	} else {
		w.line("%s", w.Sprintf("%s, %s, %s of it its own", calls, w.duration(s.Ns), w.duration(s.SelfNs)))
	}
	called, reached := apart(s.Callers)
	w.neighbours(w.Sprintf("called by"), called)
	w.neighbours(w.Sprintf("reached from"), reached)
	direct, leads := apart(s.Callees)
	w.neighbours(w.Sprintf("calls"), byLine(direct))
	w.neighbours(w.Sprintf("leads to"), leads)
	if len(s.Values) > 0 {
		w.line("%s", w.Sprintf("values"))
	}
	for _, v := range s.Values {
		w.values(v)
	}
	for _, e := range s.Errors {
		w.line("%s  %s", w.Sprintf("error"), printable(e))
	}
}

// duration writes nanoseconds with three digits and a unit.
func (w *pageWriter) duration(ns int64) string {
	step := time.Duration(1)
	for time.Duration(ns)/step >= 1000 {
		step *= 10
	}
	text := time.Duration(ns).Round(step).String()
	if w.ASCII {
		text = strings.Replace(text, "µs", "us", 1)
	}
	return text
}

// apart splits neighbours by whether the caller's text has the calls.
func apart(all []Neighbour) (direct, indirect []Neighbour) {
	for _, n := range all {
		if n.Indirect {
			indirect = append(indirect, n)
		} else {
			direct = append(direct, n)
		}
	}
	return direct, indirect
}

// byLine sorts callees by the place of their calls. Callees without a known place are last.
func byLine(all []Neighbour) []Neighbour {
	slices.SortStableFunc(all, func(a, b Neighbour) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(funcname.Last(a.Function), funcname.Last(b.Function)))
	})
	return all
}

// neighbours lists callers or callees. Of several functions with the same last name at one
// place, which are methods of an interface, it names the first and counts the others.
func (w *pageWriter) neighbours(title string, all []Neighbour) {
	if len(all) == 0 {
		return
	}
	w.line("%s", title)
	lines := 0
	for i := 0; i < len(all); {
		if lines++; lines > mostNeighbours {
			w.line("  %s", w.Sprintf("and %d more", len(all)-i))
			return
		}
		n := all[i]
		w.line("  %-24s %s%s%s", printable(n.Place()), printable(funcname.Short(n.Function)), w.times(n.Calls), n.How(w.Printer))
		calls, next := 0, i+1
		for ; next < len(all) && n.Line > 0 && n.Place() == all[next].Place() && funcname.Last(n.Function) == funcname.Last(all[next].Function); next++ {
			calls += all[next].Calls
		}
		if others := next - i - 1; others > 0 {
			w.line("  %-24s %s%s", "", w.Plural(others, "and %d more function of this name", "and %d more functions of this name", others), w.times(calls))
		}
		i = next
	}
}

// times writes a number of calls, or nothing for one.
func (w *pageWriter) times(calls int) string {
	switch {
	case calls < 2:
		return ""
	case w.ASCII:
		return fmt.Sprintf(" x%d", calls)
	}
	return fmt.Sprintf(" ×%d", calls)
}

// mostNeighbours is the maximum number of callers, or callees, on a page.
const mostNeighbours = 30

// mostValues is the maximum number of values of one name on a page.
const mostValues = 5

func (w *pageWriter) values(v Value) {
	for i, value := range v.Seen {
		if i == mostValues {
			w.line("    %s", w.Sprintf("and %d more", len(v.Seen)-i))
			return
		}
		w.line("  %s = %s", printable(v.Name), printable(value))
	}
}

// printable escapes sequences that could control the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strings.Trim(strconv.Quote(s), `"`)
}
