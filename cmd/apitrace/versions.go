package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func newVersionsCommand(std *streams) *cobra.Command {
	var format string
	var recorded bool
	command := &cobra.Command{
		Use:   "versions",
		Short: "List the versions of Kubernetes that can be traced",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if recorded {
				return writeRecorded(std)
			}
			all, err := listReleases(c.Context())
			if err != nil {
				return err
			}
			return writeReleases(std, format, all)
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "table", "what to print: table, json, or name (one version per line)")
	command.Flags().BoolVar(&recorded, "recorded", false, "tell of each version what is recorded and what is not, and nothing of this machine")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "name"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

// A release is a line of the list.
type release struct {
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion,omitempty"`
	Default     bool   `json:"default"`
	// Tried is set for those that apitrace was tried with.
	Tried bool `json:"tried"`
	// Older is set for those from before, which can be traced in part.
	Older bool `json:"older"`
	// Built is "yes", "no", or "old".
	Built string `json:"built"`
	// Recorded says what is recorded; nil for nothing.
	Recorded *recordings.Info `json:"recorded,omitempty"`
	// SizeBytes is what sources and builds take on the disk.
	SizeBytes int64 `json:"sizeBytes"`
}

func listReleases(ctx context.Context) ([]release, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, err
	}
	entries, err := cache.Entries(program.KindWorkspace, program.KindBuild)
	if err != nil {
		return nil, err
	}
	recorded, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var all []release
	for _, version := range versionsOf(entries) {
		r := release{
			K8sVersion: version, Default: version == apiserver.DefaultVersion,
			Tried: slices.Contains(apiserver.Releases(), version), Older: slices.Contains(apiserver.Older(), version),
		}
		for i := range recorded {
			if recorded[i].K8sVersion == version {
				r.Recorded, r.EtcdVersion = &recorded[i], recorded[i].EtcdVersion
			}
		}
		stock, err := apiserver.StockOf(ctx, version, cache, entries)
		if err != nil {
			return nil, err
		}
		r.add(stock)
		all = append(all, r)
	}
	return all, nil
}

func (r *release) add(stock apiserver.Stock) {
	if stock.EtcdVersion != "" {
		r.EtcdVersion = stock.EtcdVersion
	}
	r.SizeBytes = stock.Size
	switch {
	case stock.Built:
		r.Built = "yes"
	case stock.OtherBuild:
		r.Built = "old"
	default:
		r.Built = "no"
	}
}

// versionsOf lists the versions that apitrace was tried with, older ones and those in the cache, oldest first. What
// another apitrace left there and this one cannot trace is none of them.
func versionsOf(entries []program.Entry) []string {
	all := append(apiserver.Older(), apiserver.Releases()...)
	for _, e := range entries {
		if _, err := apiserver.ParseVersion(e.Version); e.Program == apiserver.Name && err == nil {
			all = append(all, e.Version)
		}
	}
	slices.SortFunc(all, semver.Compare)
	return slices.Compact(all)
}

func writeReleases(std *streams, format string, all []release) error {
	switch format {
	case "table":
		return writeReleaseTable(std, all)
	case "json":
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(all)
	case "name":
		for _, r := range all {
			if _, err := fmt.Fprintln(std.out, r.K8sVersion); err != nil {
				return err
			}
		}
		return nil
	}
	return usageErrorf("unknown output %q: expected one of table, json, name", format)
}

// writeRecorded tells what is recorded, of all releases that apitrace was tried with.
func writeRecorded(std *streams) error {
	all, err := recordings.Versions()
	if err != nil {
		return err
	}
	infos := map[string]*recordings.Info{}
	for i := range all {
		infos[all[i].K8sVersion] = &all[i]
	}
	table := tabwriter.NewWriter(std.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "VERSION\tETCD\tRECORDED\tSCENARIOS")
	var missing []string
	for _, version := range apiserver.Releases() {
		info := infos[version]
		date, count := recordedColumns(info)
		if info == nil {
			info = &recordings.Info{}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", version, orDash(info.EtcdVersion), date, count)
		for _, m := range info.Missing {
			missing = append(missing, fmt.Sprintf("%s  %s: %s", version, m.Scenario, m.Reason))
		}
	}
	if err := table.Flush(); err != nil || len(missing) == 0 {
		return err
	}
	_, err = fmt.Fprintf(std.out, "\nnot recorded:\n%s\n", strings.Join(missing, "\n"))
	return err
}

// recordedColumns are the date of a recording and how many scenarios it has of all.
func recordedColumns(info *recordings.Info) (date, count string) {
	if info == nil {
		return "-", "-"
	}
	return info.Recorded.Format(time.DateOnly), fmt.Sprintf("%d of %d", len(info.Scenarios), len(info.Scenarios)+len(info.Missing))
}

func writeReleaseTable(std *streams, all []release) error {
	table := tabwriter.NewWriter(std.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "VERSION\tETCD\tBUILT\tRECORDED\tSCENARIOS\tSIZE")
	for _, r := range all {
		recorded, count := recordedColumns(r.Recorded)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.K8sVersion, orDash(r.EtcdVersion), r.Built, recorded, count, program.FormatBytes(r.SizeBytes))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.out, "\nolder, traced in part: %s (docs/versions.md says how far)\n", strings.Join(apiserver.Older(), ", "))
	return err
}
