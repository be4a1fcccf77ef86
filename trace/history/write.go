package history

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// textWidth is how wide running text is at most: what a narrow terminal shows.
const textWidth = 80

// Write writes in which releases and scenarios a function is on the path.
func Write(w io.Writer, appearances []Appearance) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
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
	fmt.Fprintln(w)
	for _, group := range byReleases(appearances) {
		fmt.Fprintf(w, "%s\n%s\n", group.releases, listed(group.scenarios, "  "))
	}
	return nil
}

// A releaseGroup is scenarios that call the function in the same releases.
type releaseGroup struct {
	releases  string
	scenarios []string
}

func byReleases(appearances []Appearance) []releaseGroup {
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
func describeReleases(in []string, all []Appearance) string {
	first := slices.IndexFunc(all, func(a Appearance) bool { return a.Version == in[0] })
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
