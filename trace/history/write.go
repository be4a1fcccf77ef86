package history

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// signs has the signs of each state and of an unrecorded scenario.
type signs struct {
	states      map[State]string
	notRecorded string
}

var (
	unicodeSigns = signs{map[State]string{Called: "●", notCalled: "○", noSpan: "◌", notTraced: "□", notThere: "-", notSeen: "?"}, "?"}
	asciiSigns   = signs{map[State]string{Called: "*", notCalled: "o", noSpan: ".", notTraced: "#", notThere: "-", notSeen: "?"}, "?"}
)

// Sign returns the state's sign and its meaning.
func (s State) Sign() (sign string, meaning message.Message) {
	return unicodeSigns.states[s], meanings[s]
}

// meanings explain the signs.
var meanings = map[State]message.Message{
	Called: message.Of("called"), notCalled: message.Of("in the source, not called in the recordings"), noSpan: message.Of("in the source, without a span"),
	notTraced: message.Of("in the source, in a package that is not traced, or not compiled any more"),
	notThere:  message.Of("in no traced package of the programs that the index has"), notSeen: message.Of("not called, and the source is not known"),
}

// Write writes the result of Of for a query: a line for each release, then the scenarios
// that call the function.
func Write(w io.Writer, query string, releases []Release, followed []Appearance, ascii bool, p message.Printer) error {
	s := unicodeSigns
	if ascii {
		s = asciiSigns
	}
	out := bufio.NewWriter(w)
	writeHeading(out, query, followed, p)
	table := text.NewTable(2)
	table.Row(p.Sprintf("RELEASE"), "", p.Sprintf("SCENARIOS"), p.Sprintf("FUNCTION"), p.Sprintf("PLACE"))
	for _, a := range followed {
		count, name, place := "", "", ""
		if a.State == Called {
			count = p.Sprintf("%d of %d", len(a.Scenarios), a.Recorded)
		}
		if a.Place != "" {
			name, place = funcname.Short(a.Name), a.Place
		}
		if why := a.Spanless.Why(); !why.IsZero() {
			place = p.Sprintf("%s, no span: %s", place, why)
		}
		table.Row(a.Version, s.states[a.State], count, name, place)
	}
	if err := table.Write(out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for state := Called; state <= notSeen; state++ {
		if slices.ContainsFunc(followed, func(a Appearance) bool { return a.State == state }) {
			fmt.Fprintf(out, "%s %s\n", s.states[state], meanings[state].In(p.Lang()))
		}
	}
	for _, a := range followed {
		if a.Beside != "" {
			said := p.Sprintf("%s has both %s and %s: in the recorded calls, one replaced the other, so this list follows them as one function.",
				a.Version, funcname.Short(a.Name), funcname.Short(a.Beside))
			fmt.Fprintf(out, "\n%s\n", strings.Join(text.Wrap(said, text.Width), "\n"))
		}
	}
	writeScenarios(out, releases, followed, s, p)
	return out.Flush()
}

// writeHeading writes the name of the function that was asked for, and why some lines have
// another name.
func writeHeading(out io.Writer, query string, followed []Appearance, p message.Printer) {
	var names []string
	for _, a := range followed {
		if a.Place != "" {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	asked := names[len(names)-1]
	if found := trace.FindFunctions(query, names); len(found) > 0 && !slices.Contains(found, asked) {
		asked = found[len(found)-1]
	}
	lines := []string{p.Sprintf("%s in the recorded releases", funcname.Short(asked))}
	for i := 0; i < len(followed); i++ {
		first := followed[i]
		if first.Place == "" || first.Name == asked {
			continue
		}
		for i+1 < len(followed) && followed[i+1].Place != "" && followed[i+1].Name == first.Name {
			i++
		}
		when := message.Of("in %s", first.Version)
		if followed[i].Version != first.Version {
			when = message.Of("from %s to %s", first.Version, followed[i].Version)
		}
		lines = append(lines, p.Sprintf("%s, %s is in its place: this list follows them as one function", when, funcname.Short(first.Name)))
	}
	for _, line := range lines {
		fmt.Fprintln(out, strings.Join(text.Wrap(line, text.Width), "\n"))
	}
	fmt.Fprintln(out)
}

// writeScenarios writes the scenarios that call the function, with the releases.
// It also writes which releases have no recording of these scenarios, and why.
func writeScenarios(out io.Writer, releases []Release, followed []Appearance, s signs, p message.Printer) {
	var names []string
	for _, a := range followed {
		names = append(names, a.Scenarios...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	called, missing := &groups{}, &groups{}
	for _, name := range names {
		var in, recorded []string
		lacking := &groups{} // releases by reason
		for i, a := range followed {
			if slices.Contains(releases[i].Recorded, name) {
				recorded = append(recorded, a.Version)
			} else {
				lacking.add(whyMissing(&releases[i], name).In(p.Lang()), a.Version)
			}
			if slices.Contains(a.Scenarios, name) {
				in = append(in, a.Version)
			}
		}
		called.add(describe(in, recorded, len(followed)).In(p.Lang()), name)
		for i, reason := range lacking.titles {
			missing.add(p.Sprintf("%s not recorded of %s: %s", s.notRecorded, ranges(lacking.names[i], followed), reason), name)
		}
	}
	for _, all := range []*groups{called, missing} {
		if len(all.titles) > 0 {
			fmt.Fprintln(out)
		}
		for i, title := range all.titles {
			fmt.Fprintf(out, "%s\n%s\n", strings.Join(text.Wrap(title, text.Width), "\n"), listed(all.names[i], p))
		}
	}
}

// ranges lists releases in the order of followed. Three and more that follow one another
// are a range such as "v1.16.15 to v1.30.4".
func ranges(of []string, followed []Appearance) message.Message {
	var all []message.Message
	for i := 0; i < len(of); i++ {
		first, at := i, slices.IndexFunc(followed, func(a Appearance) bool { return a.Version == of[i] })
		for i+1 < len(of) && at+1 < len(followed) && followed[at+1].Version == of[i+1] {
			i, at = i+1, at+1
		}
		if i-first < 2 {
			i = first
			all = append(all, message.Of("%s", of[i]))
		} else {
			all = append(all, message.Of("%s to %s", of[first], of[i]))
		}
	}
	return message.List(all)
}

// whyMissing returns the reason why a release has no recording of a scenario. The
// recorder stores a reason for each known scenario that could not run.
func whyMissing(r *Release, scenario string) message.Message {
	for _, m := range r.Missing {
		if m.Scenario == scenario {
			return m.Why()
		}
	}
	return message.Of("the scenario is newer than the recordings of the release")
}

// groups has names below titles, in the order of their first use.
type groups struct {
	titles []string
	names  [][]string
}

func (g *groups) add(title, name string) {
	at := slices.Index(g.titles, title)
	if at < 0 {
		at = len(g.titles)
		g.titles, g.names = append(g.titles, title), append(g.names, nil)
	}
	g.names[at] = append(g.names[at], name)
}

// describe returns the heading for in, the releases that call a function in a
// scenario. recorded has the releases that recorded the scenario. releases is the
// number of all releases.
func describe(in, recorded []string, releases int) message.Message {
	first, last := slices.Index(recorded, in[0]), len(in)-1
	switch {
	case len(in) == releases && releases > 1:
		return message.Of("in every release:")
	case len(in) == len(recorded) && len(in) > 1:
		return message.Of("in every release that recorded it:")
	case len(in) > 1 && first+last < len(recorded) && recorded[first+last] == in[last]:
		return message.Of("from %s to %s:", in[0], in[last])
	}
	return message.Of("in %s:", message.List(in))
}

// listed lists names on indented lines, wrapped at blanks.
func listed(names []string, p message.Printer) string {
	const indent = "  "
	return indent + strings.Join(text.Wrap(message.List(names).Localize(p), text.Width-len(indent)), "\n"+indent)
}
