package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// scenariosShowOptions say how a scenario is described.
type scenariosShowOptions struct {
	lang   string
	output string
}

func newScenariosShowCommand(std *streams) *cobra.Command {
	o := &scenariosShowOptions{}
	command := &cobra.Command{
		Use:               "show SCENARIO",
		Short:             "Say what a scenario does and teaches",
		Args:              oneArgument("the name of a scenario (see \"apitrace scenarios\") or the path of a scenario file"),
		ValidArgsFunction: completeScenario,
		RunE:              func(_ *cobra.Command, args []string) error { return o.run(std, args[0]) },
	}
	addLanguageFlag(command, &o.lang)
	command.Flags().StringVarP(&o.output, "output", "o", "text", "form of output: text or yaml")
	return command
}

func (o *scenariosShowOptions) run(std *streams, name string) error {
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	if o.output != "text" && o.output != "yaml" {
		return usageErrorf("unknown form of output %q: expected text or yaml", o.output)
	}
	s, err := findScenario(name)
	if err != nil {
		return err
	}
	if o.output == "yaml" {
		_, err = std.out.Write([]byte(s.Source))
		return err
	}
	library, err := scenarios.List()
	if err != nil {
		return err
	}
	_, err = std.out.Write([]byte(describe(s, library, lang)))
	return err
}

// describe writes for a person what the scenario does. Those of the library may be paired with it.
func describe(s *scenarios.Scenario, library []*scenarios.Scenario, lang string) string {
	p := message.For(lang)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Title.In(lang))
	for _, part := range []struct {
		heading string
		text    message.Text
	}{{"", s.Description}, {p.Sprintf("What it teaches"), s.Teaches}, {p.Sprintf("What varies"), s.Varies}} {
		if text := part.text.In(lang); text != "" {
			b.WriteString("\n" + section(part.heading, text))
		}
	}
	if releases := s.Releases.Text().In(lang); releases != "" {
		b.WriteString("\n" + section("Kubernetes", releases))
	}
	if flags := s.Setup.Server.Flags; len(flags) > 0 {
		b.WriteString("\n" + p.Sprintf("A server of its own, with") + "\n  " + strings.Join(flags, "\n  ") + "\n")
	}
	b.WriteString(describeState(&s.Setup, p))
	b.WriteString("\n" + p.Sprintf("Requests") + "\n")
	if s.Boot != nil {
		fmt.Fprintf(&b, "  %s %s, %s\n", trace.MethodStart, s.Boot.Program, p.Sprintf("traced"))
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		fmt.Fprintf(&b, "  %s\n", describeRequest(&r.HTTP, r.Traced, p))
		for j := range r.During {
			fmt.Fprintf(&b, "    %s %s\n", p.Sprintf("meanwhile"), describeRequest(&r.During[j].HTTP, r.During[j].Traced, p))
		}
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

// describeState lists what there is before the first request.
func describeState(setup *scenarios.Setup, p message.Printer) string {
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

// pairsOf lists the scenario's pairs, also those that the file of the other one names.
func pairsOf(s *scenarios.Scenario, library []*scenarios.Scenario) []scenarios.Pair {
	pairs := slices.Clone(s.Pairs)
	for _, other := range library {
		for _, pair := range other.Pairs {
			if pair.With == s.Name {
				pairs = append(pairs, scenarios.Pair{With: other.Name, Teaches: pair.Teaches})
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

// describeRequest is one line: what is sent, the answer, who asks, and whether it is traced.
func describeRequest(h *scenarios.HTTP, traced bool, p message.Printer) string {
	line := fmt.Sprintf("%s %s -> %d", h.Method, h.Path, h.Status)
	if h.As != "" && h.As != scenarios.Learner {
		line += ", " + p.Sprintf("as %s", h.As)
	}
	if traced {
		line += ", " + p.Sprintf("traced")
	}
	return line
}

// textWidth is how wide running text is at most: what a narrow terminal shows.
const textWidth = 80

// paragraph wraps a text and indents every line of it.
func paragraph(text, indent string) string {
	wrapped := ansi.Wrap(text, textWidth-len(indent), "")
	return indent + strings.ReplaceAll(wrapped, "\n", "\n"+indent)
}
