package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// historyOptions say how a history is shown.
type historyOptions struct {
	view outputOptions
}

func newHistoryCommand(std *streams) *cobra.Command {
	o := &historyOptions{}
	command := &cobra.Command{
		Use:   "history {SCENARIO | FUNCTION}",
		Short: "Tell when a path changed, or since when a function is on it",
		Args:  oneArgument("a scenario (see \"apitrace scenarios\") or the name of a function"),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			names, _ := completeScenario(c, args, typed)
			functions, directive := completeFunction(c, args, typed)
			return append(names, functions...), directive
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.view.validateView(); err != nil {
				return err
			}
			if _, err := scenarios.Find(args[0]); err == nil {
				return o.ofScenario(std, args[0])
			}
			return o.ofFunction(std, args[0])
		},
	}
	flags := command.Flags()
	flags.IntVar(&o.view.width, "width", 0, "write this many columns wide (0: as wide as the terminal, else 80)")
	flags.StringVar(&o.view.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.view.ascii, "ascii", false, "write with ASCII characters alone")
	addLanguageFlag(command, &o.view.lang)
	o.view.view = "path"
	return command
}

// ofScenario tells what each release changed.
func (o *historyOptions) ofScenario(std *streams, scenario string) error {
	releases, err := recordings.Versions()
	if err != nil {
		return err
	}
	releases = slices.DeleteFunc(releases, func(release recordings.Info) bool { return !release.Has(scenario) })
	if len(releases) == 0 {
		return fmt.Errorf("no release's recording of scenario %q is part of apitrace: \"apitrace run %s --k8s VERSION --save FILE\" makes one, and \"apitrace diff\" compares two files", scenario, scenario)
	}
	options, spoken, err := o.drawing(std)
	if err != nil {
		return err
	}
	var steps []render.HistoryStep
	for step, err := range inOrder(len(releases), func(i int) (render.HistoryStep, error) {
		return historyStep(releases[max(i-1, 0)], releases[i], scenario, spoken, options)
	}) {
		if err != nil {
			return err
		}
		steps = append(steps, step)
	}
	return render.WriteHistory(std.out, steps, spoken, options)
}

// historyStep tells what a release changed since the one before, which is itself for the first one.
func historyStep(before, release recordings.Info, scenario string, guide render.Guide, options render.DiffOptions) (render.HistoryStep, error) {
	rec, err := recordings.Load(release.K8sVersion, scenario)
	if err != nil {
		return render.HistoryStep{}, err
	}
	step := render.HistoryStep{Version: release.K8sVersion, Calls: countCalls(rec)}
	if before.K8sVersion == release.K8sVersion {
		return step, nil
	}
	was, err := recordings.Load(before.K8sVersion, scenario)
	if err != nil {
		return render.HistoryStep{}, err
	}
	step.Changes = render.Brief(diff.CompareRecordings(was, rec, diff.Options{}), guide, options)
	return step, nil
}

func countCalls(rec *trace.Recording) int {
	n := 0
	for _, r := range rec.Requests {
		n += len(r.Calls)
	}
	return n
}

func (o *historyOptions) drawing(std *streams) (render.DiffOptions, *spokenGuide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	lang, err := language(o.view.lang)
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	drawing, err := o.view.drawing(std, guide)
	return render.DiffOptions{Options: drawing, Lang: lang}, newSpokenGuide(guide, lang), err
}

// ofFunction tells in which releases and scenarios a function is on the path.
func (o *historyOptions) ofFunction(std *streams, query string) error {
	releases, err := allReleases()
	if err != nil {
		return err
	}
	appearances, err := history.Of(releases, query)
	if errors.As(err, new(*trace.UnknownFunctionError)) {
		_, noScenario := scenarios.Find(query)
		return &usageError{err: fmt.Errorf("%w\nit is no scenario either: %w", err, noScenario)}
	}
	if err != nil {
		return functionError(err)
	}
	return writeAppearances(std, appearances)
}

// allReleases tells what was recorded.
func allReleases() ([]history.Release, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var releases []history.Release
	for _, info := range infos {
		functions, err := recordings.Functions(info.K8sVersion)
		if err != nil {
			return nil, err
		}
		releases = append(releases, history.Release{Version: info.K8sVersion, Functions: functions, Load: func(scenario string) (*trace.Recording, error) {
			if !info.Has(scenario) {
				return nil, nil
			}
			return recordings.Load(info.K8sVersion, scenario)
		}})
	}
	return releases, nil
}

func writeAppearances(std *streams, appearances []history.Appearance) error {
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RELEASE\tSCENARIOS\tFUNCTION\tPLACE")
	for _, a := range appearances {
		if a.Function == nil {
			fmt.Fprintf(table, "%s\t0\t-\t-\n", a.Version)
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s:%d\n", a.Version, len(a.Scenarios), funcname.Short(a.Name), path.Base(a.File), a.Line)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(std.out)
	for _, group := range byReleases(appearances) {
		fmt.Fprintf(std.out, "%s\n%s\n", group.releases, listed(group.scenarios, "  "))
	}
	return nil
}

// A releaseGroup is scenarios that call the function in the same releases.
type releaseGroup struct {
	releases  string
	scenarios []string
}

func byReleases(appearances []history.Appearance) []releaseGroup {
	in := map[string][]string{}
	var names []string
	for _, a := range appearances {
		if a.Function == nil {
			continue
		}
		for _, s := range a.Scenarios {
			if len(in[s]) == 0 {
				names = append(names, s)
			}
			in[s] = append(in[s], a.Version)
		}
	}
	slices.Sort(names)
	var groups []releaseGroup
	for _, name := range names {
		releases := describeReleases(in[name], appearances)
		at := slices.IndexFunc(groups, func(g releaseGroup) bool { return g.releases == releases })
		if at < 0 {
			at = len(groups)
			groups = append(groups, releaseGroup{releases: releases})
		}
		groups[at].scenarios = append(groups[at].scenarios, name)
	}
	return groups
}

// describeReleases names releases: all of them, a range, or each.
func describeReleases(in []string, all []history.Appearance) string {
	first := slices.IndexFunc(all, func(a history.Appearance) bool { return a.Version == in[0] })
	last := len(in) - 1
	switch {
	case len(in) == len(all) && len(all) > 1:
		return "in every release:"
	case len(in) > 1 && first+last < len(all) && all[first+last].Version == in[last]:
		return fmt.Sprintf("from %s to %s:", in[0], in[last])
	}
	return "in " + strings.Join(in, ", ") + ":"
}

// listed writes names with commas, as many on an indented line as fit; a name is never broken.
func listed(names []string, indent string) string {
	lines := []string{indent}
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		last := len(lines) - 1
		switch {
		case lines[last] == indent:
			lines[last] += name
		case len(lines[last])+1+len(name) <= textWidth:
			lines[last] += " " + name
		default:
			lines = append(lines, indent+name)
		}
	}
	return strings.Join(lines, "\n")
}
