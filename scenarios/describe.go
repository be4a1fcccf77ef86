package scenarios

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
)

// Describe describes the scenario in a language. The description lists the scenario's own
// pairs, and the pairs of the scenarios in library with it.
func (s *Scenario) Describe(library []*Scenario, lang string) string {
	p := message.For(lang)
	var b strings.Builder
	b.WriteString(p.Sprintf("%s: %s", s.Name, s.Title) + "\n")
	for _, part := range []struct {
		heading string
		text    message.Text
	}{{"", s.Description}, {p.Sprintf("What it teaches"), s.Teaches}, {p.Sprintf("What varies"), s.Varies.Text}} {
		if said := part.text.In(lang); said != "" {
			b.WriteString("\n" + section(part.heading, said))
		}
	}
	if releases := s.releasesText().In(lang); releases != "" {
		b.WriteString("\n" + section("Kubernetes", releases))
	}
	if flags := s.Setup.Server.Flags; len(flags) > 0 {
		b.WriteString("\n" + p.Sprintf("A server of its own, with") + "\n  " + strings.Join(flags, "\n  ") + "\n")
	}
	b.WriteString(describeState(&s.Setup, p))
	b.WriteString("\n" + p.Sprintf("Requests") + "\n")
	if s.Boot != nil {
		fmt.Fprintf(&b, "  %s\n", p.Clauses(trace.MethodStart+" "+s.Boot.Program, p.Sprintf("traced")))
	}
	if s.Stop != nil {
		fmt.Fprintf(&b, "  %s\n", p.Clauses(trace.MethodStop+" "+trace.ProcessAPIServer, p.Sprintf("traced")))
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		fmt.Fprintf(&b, "  %s\n", describeRequest(&r.HTTP, r.Traced, p))
		for j := range r.During {
			fmt.Fprintf(&b, "    %s %s\n", p.Sprintf("meanwhile"), describeRequest(&r.During[j].HTTP, r.During[j].Traced, p))
		}
	}
	if s.Follow != nil {
		fmt.Fprintf(&b, "  %s\n", p.Clauses(p.Sprintf("what they cause in kube-controller-manager, kube-scheduler and a kubelet"), p.Sprintf("traced")))
	}
	pairs := pairsOf(s, library)
	if len(pairs) > 0 {
		b.WriteString("\n" + p.Sprintf("Compare with") + "\n")
	}
	for _, pair := range pairs {
		fmt.Fprintf(&b, "  %s\n%s\n", pair.With, paragraph(pair.Teaches.In(lang), "    "))
	}
	return b.String()
}

// describeState lists the state before the first request.
func describeState(setup *Setup, p message.Printer) string {
	var all []string
	if setup.Aggregated {
		all = append(all, p.Sprintf("the sample API server"))
	}
	for i := range setup.Webhooks {
		all = append(all, p.Sprintf("the webhook %q", setup.Webhooks[i].Name))
	}
	for i := range setup.Objects {
		all = append(all, setup.Objects[i].String())
	}
	if len(all) == 0 {
		return ""
	}
	return "\n" + p.Sprintf("State") + "\n  " + strings.Join(all, "\n  ") + "\n"
}

// pairsOf returns the scenario's own pairs, and the library's pairs with the scenario.
func pairsOf(s *Scenario, library []*Scenario) []Pair {
	pairs := slices.Clone(s.Pairs)
	for _, other := range library {
		for _, pair := range other.Pairs {
			if pair.With == s.Name {
				pairs = append(pairs, Pair{With: other.Name, Teaches: pair.Teaches})
			}
		}
	}
	return pairs
}

func section(heading, text string) string {
	if heading == "" {
		return paragraph(text, "") + "\n"
	}
	return heading + "\n" + paragraph(text, "  ") + "\n"
}

// describeRequest returns a line with the request, the status, the user, and whether the
// request is traced.
func describeRequest(h *HTTP, traced bool, p message.Printer) string {
	line := fmt.Sprintf("%s %s -> %s", h.Method, h.Path, h.Status.Localize(p))
	if h.As != "" && h.As != Learner {
		line = p.Clauses(line, p.Sprintf("as %s", h.As))
	}
	if traced {
		line = p.Clauses(line, p.Sprintf("traced"))
	}
	return line
}

// paragraph wraps a text and indents its lines.
func paragraph(s, indent string) string {
	return strings.TrimRight(indent+strings.Join(text.WrapLines(s, text.Width-len(indent)), "\n"+indent), " ")
}

// WriteList writes scenarios as a table.
func WriteList(w io.Writer, all []*Scenario, lang string) error {
	p := message.For(lang)
	table := text.NewTable(3)
	table.Row(p.Sprintf("TOPIC"), p.Sprintf("NAME"), p.Sprintf("TITLE"))
	for _, s := range all {
		table.Row(TopicTitle(s.Topic).In(lang), s.Name, titleWithReleases(s, lang))
	}
	return table.Write(w)
}

// A Listed is a scenario in a list for programs.
type Listed struct {
	Name  string `json:"name"`
	Topic string `json:"topic"` // the title of the topic
	Title string `json:"title"`
	// Releases describes the releases that can run the scenario. It is "" for all.
	Releases string `json:"releases"`
	// Sends are the traced requests, see Scenario.Sends.
	Sends []string `json:"sends"`
}

// Listing describes scenarios for programs.
func Listing(all []*Scenario, lang string) []Listed {
	list := []Listed{}
	for _, s := range all {
		list = append(list, Listed{s.Name, TopicTitle(s.Topic).In(lang), s.Title.In(lang), s.releasesText().In(lang), s.Sends()})
	}
	return list
}

// releasesText describes the releases that can run the scenario, or is empty for all.
func (s *Scenario) releasesText() message.Message {
	if s.Follow != nil { // package session knows which these are
		return message.Of("%s, if apitrace can follow there", s.Releases.Text())
	}
	return s.Releases.Text()
}

func titleWithReleases(s *Scenario, lang string) string {
	title := s.Title.In(lang)
	if releases := s.releasesText().In(lang); releases != "" {
		title += " [" + releases + "]"
	}
	return title
}

// WritePairs writes the pairs of the scenarios. Below each pair is the difference to look
// at.
func WritePairs(w io.Writer, all []*Scenario, lang string) error {
	for _, s := range all {
		for _, pair := range s.Pairs {
			if _, err := fmt.Fprintf(w, "%s\n%s\n", message.List([]string{pair.With, s.Name}).In(lang), paragraph(pair.Teaches.In(lang), "    ")); err != nil {
				return err
			}
		}
	}
	return nil
}
