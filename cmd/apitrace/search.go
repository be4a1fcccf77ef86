package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/search"
)

// searchOptions say what is searched for.
type searchOptions struct {
	value string
	most  int
}

func newSearchCommand(std *console.Streams) *cobra.Command {
	o := &searchOptions{}
	command := newCommand("search", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		if o.most < 1 {
			return usage.Errorf("--most %d: expected at least 1", o.most)
		}
		if (len(args) == 1) == (o.value != "") || len(args) == 1 && args[0] == "" {
			return usage.Errorf("expected a text, or --value NAME=TEXT")
		}
		return o.run(std, strings.Join(args, ""))
	})
	command.Flags().StringVar(&o.value, "value", "", `search the values of a name: "flow_schema=exempt", or "flow_schema" for all`)
	command.Flags().IntVar(&o.most, "most", 20, "list at most this many functions, values and errors")
	return command
}

func (o *searchOptions) run(std *console.Streams, query string) error {
	hits, err := o.hits(query)
	if err != nil {
		return err
	}
	// What few recordings have tells more than what all of them have.
	slices.SortStableFunc(hits, func(a, b search.Hit) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return len(a.Places) - len(b.Places)
	})
	for _, h := range hits[:min(len(hits), o.most)] {
		fmt.Fprintln(std.Out, text.Escape(h.Text))
		for _, line := range where(h.Places) {
			fmt.Fprintln(std.Out, "  "+line)
		}
		fmt.Fprintln(std.Out, "  "+commandFor(h))
	}
	if more := len(hits) - o.most; more > 0 {
		fmt.Fprintf(std.Out, "and %d more: --most %d lists all\n", more, len(hits))
	}
	return nil
}

// hits returns what is found, or an error that names what is near.
func (o *searchOptions) hits(query string) ([]search.Hit, error) {
	if o.value == "" {
		hits, err := search.Text(query)
		if err != nil || len(hits) > 0 {
			return hits, err
		}
		names, err := search.Functions()
		if err != nil {
			return nil, err
		}
		return nil, &trace.UnknownFunctionError{Query: query, Where: "any recording, nor a value or an error with this text", Near: trace.NearFunctions(query, names)}
	}
	name, value, _ := strings.Cut(o.value, "=")
	hits, err := search.Values(name, value)
	if err != nil || len(hits) > 0 {
		return hits, err
	}
	if all, err := search.Values(name, ""); err != nil || len(all) > 0 {
		return nil, errors.Join(err, fmt.Errorf("no recording has a value of %q with %q; it has values such as %s", name, value, text.Escape(all[0].Text)))
	}
	names, err := search.ValueNames()
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("no value %q is recorded: expected one of %s", name, strings.Join(names, ", "))
}

// where says which scenarios of which releases are meant, scenarios with the same releases together.
func where(places []search.Place) []string {
	var scenarios []string
	releases := map[string][]string{}
	for _, p := range places {
		if releases[p.Scenario] == nil {
			scenarios = append(scenarios, p.Scenario)
		}
		releases[p.Scenario] = append(releases[p.Scenario], p.Release)
	}
	slices.Sort(scenarios)
	var ranges []string
	byRange := map[string][]string{}
	for _, s := range scenarios {
		of := releases[s]
		r := of[0]
		if len(of) > 1 {
			r = fmt.Sprintf("%s to %s (%d)", of[0], of[len(of)-1], len(of))
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
			names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
		}
		lines = append(lines, strings.Join(names, ", ")+": "+r)
	}
	return lines
}

// commandFor is the command that shows a hit, in the newest release that has it.
func commandFor(h search.Hit) string {
	p := h.Places[len(h.Places)-1]
	command := fmt.Sprintf("apitrace show %s --k8s %s ", p.Scenario, p.Release)
	switch h.Kind {
	case search.Function:
		return command + "--function " + shellQuoted(funcname.Short(h.Text))
	case search.Value:
		_, value, _ := strings.Cut(h.Text, "=")
		return command + "--view full --grep " + shellQuoted(grepFor(value))
	}
	return command + "--view full --grep " + shellQuoted(grepFor(h.Text))
}

// grepFor is a regular expression that finds a text by its beginning.
func grepFor(s string) string {
	const most = 40
	runes := []rune(s)
	s = string(runes[:min(len(runes), most)])
	return regexpSpecial.ReplaceAllString(s, ".")
}

// shellQuoted quotes a word for the shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

var regexpSpecial = regexp.MustCompile(`[^\p{L}\p{N} _/:=-]`)
