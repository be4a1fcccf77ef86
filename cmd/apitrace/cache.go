package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// kinds of what the cache holds, in the order in which they are listed.
var kinds = []program.Kind{program.KindWorkspace, program.KindBuild, program.KindGoCache}

func newCacheCommand(std *streams) *cobra.Command {
	command := &cobra.Command{
		Use:                        "cache",
		Short:                      "See and clean what builds leave behind",
		SuggestionsMinimumDistance: 2,
		Args:                       knownCommand,
		RunE:                       showHelp,
	}
	command.AddCommand(newCacheListCommand(std), newCacheSizeCommand(std), newCacheCleanCommand(std))
	return command
}

func cacheEntries() (*program.Cache, []program.Entry, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, nil, err
	}
	entries, err := cache.Entries()
	return cache, entries, err
}

func newCacheListCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what is in the cache",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, entries, err := cacheEntries()
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(std.out, 0, 0, 3, ' ', 0)
			fmt.Fprintln(table, "KIND\tPROGRAM\tVERSION\tTRACED\tSIZE\tLAST-USED\tSTATE")
			for _, e := range entries {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Kind, orDash(e.Program), orDash(e.Version), traced(e),
					program.FormatBytes(e.Size), e.LastUsed.Format(time.DateTime), state(e))
			}
			return table.Flush()
		},
	}
}

func traced(e program.Entry) string {
	switch {
	case e.Kind != program.KindBuild:
		return "-"
	case e.Instrumented:
		return "yes"
	default:
		return "no"
	}
}

func state(e program.Entry) string {
	if e.Complete {
		return "complete"
	}
	return "unfinished"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func newCacheSizeCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "size",
		Short: "Say how big the cache is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cache, entries, err := cacheEntries()
			if err != nil {
				return err
			}
			free, err := program.FreeSpace(cache.Root)
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(std.out, 0, 0, 3, ' ', 0)
			var total int64
			for _, kind := range kinds {
				size := sizeOf(entries, kind)
				total += size
				fmt.Fprintf(table, "%s\t%s\n", kind, program.FormatBytes(size))
			}
			fmt.Fprintf(table, "total\t%s\nfree\t%s\nfolder\t%s\n", program.FormatBytes(total), program.FormatBytes(free), cache.Root)
			return table.Flush()
		},
	}
}

func sizeOf(entries []program.Entry, kind program.Kind) int64 {
	var sum int64
	for _, e := range entries {
		if e.Kind == kind {
			sum += e.Size
		}
	}
	return sum
}

// cleanOptions say what to remove from the cache.
type cleanOptions struct {
	kinds      []string
	olderThan  time.Duration
	unfinished bool
	dryRun     bool
}

func newCacheCleanCommand(std *streams) *cobra.Command {
	o := &cleanOptions{}
	command := &cobra.Command{
		Use:   "clean [workspace|build|gocache]...",
		Short: "Remove what is in the cache",
		Args: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if !slices.Contains(kinds, program.Kind(arg)) {
					return fmt.Errorf("unknown kind %q: expected workspace, build or gocache", arg)
				}
			}
			return nil
		},
		ValidArgs: []string{"workspace", "build", "gocache"},
		RunE: func(_ *cobra.Command, args []string) error {
			o.kinds = args
			return o.run(std)
		},
	}
	command.Flags().DurationVar(&o.olderThan, "older-than", 0, "remove only what was last used longer ago than this")
	command.Flags().BoolVar(&o.unfinished, "unfinished", false, "remove only what interrupted builds have left")
	command.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be removed and remove nothing")
	return command
}

func (o *cleanOptions) run(std *streams) error {
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var freed int64
	for _, e := range entries {
		if !o.wants(e) {
			continue
		}
		if !o.dryRun {
			if err := cache.Remove(e); err != nil {
				return err
			}
		}
		freed += e.Size
		fmt.Fprintf(std.out, "%s %s\n", e.Kind, strings.Join(strings.Fields(e.Program+" "+e.Version+" "+program.FormatBytes(e.Size)), " "))
	}
	verb := "removed"
	if o.dryRun {
		verb = "would remove"
	}
	fmt.Fprintf(std.out, "%s %s\n", verb, program.FormatBytes(freed))
	return nil
}

func (o *cleanOptions) wants(e program.Entry) bool {
	return (len(o.kinds) == 0 || slices.Contains(o.kinds, string(e.Kind))) &&
		(o.olderThan == 0 || time.Since(e.LastUsed) > o.olderThan) &&
		(!o.unfinished || !e.Complete)
}
