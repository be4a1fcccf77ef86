package machine

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// kinds of what the cache holds, in the order in which they are listed.
var kinds = []program.Kind{program.KindWorkspace, program.KindBuild, program.KindGoCache}

// Kinds are the names of the kinds of what the cache holds.
func Kinds() []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, string(kind))
	}
	return names
}

func cacheEntries() (*program.Cache, []program.Entry, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, nil, err
	}
	entries, err := cache.Entries()
	return cache, entries, err
}

// WriteCache lists what is in the cache.
func WriteCache(w io.Writer) error {
	_, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	table := text.NewTable(3)
	table.Row("KIND", "PROGRAM", "VERSION", "TRACED", "SIZE", "LAST-USED", "STATE")
	for _, e := range entries {
		table.Row(e.Kind, orDash(e.Program), orDash(e.Version), traced(e), program.FormatBytes(e.Size), e.LastUsed.Format(time.DateTime), state(e))
	}
	return table.Write(w)
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

// WriteSizes writes how big the cache is, by kind, how much is free on its disk, and where it is.
func WriteSizes(w io.Writer) error {
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	free, err := program.FreeSpace(cache.Root)
	if err != nil {
		return err
	}
	table := text.NewTable(3)
	var total int64
	for _, kind := range kinds {
		size := sizeOf(entries, kind)
		total += size
		table.Row(kind, program.FormatBytes(size))
	}
	table.Row("total", program.FormatBytes(total))
	table.Row("free", program.FormatBytes(free))
	table.Row("folder", cache.Root)
	return table.Write(w)
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

// A Clean says what to remove from the cache.
type Clean struct {
	// Kinds are what to remove; none means all.
	Kinds []string
	// OlderThan keeps what was used since; 0 keeps nothing.
	OlderThan time.Duration
	// Unfinished keeps all but what interrupted builds have left.
	Unfinished bool
	// DryRun removes nothing.
	DryRun bool
}

// Run removes it, and lists what it removes.
func (o *Clean) Run(w io.Writer) error {
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var freed int64
	for _, e := range entries {
		if !o.wants(e) {
			continue
		}
		if !o.DryRun {
			if err := cache.Remove(e); err != nil {
				return err
			}
		}
		freed += e.Size
		fmt.Fprintf(w, "%s %s\n", e.Kind, strings.Join(strings.Fields(e.Program+" "+e.Version+" "+program.FormatBytes(e.Size)), " "))
	}
	verb := "removed"
	if o.DryRun {
		verb = "would remove"
	}
	fmt.Fprintf(w, "%s %s\n", verb, program.FormatBytes(freed))
	return nil
}

func (o *Clean) wants(e program.Entry) bool {
	return (len(o.Kinds) == 0 || slices.Contains(o.Kinds, string(e.Kind))) &&
		(o.OlderThan == 0 || time.Since(e.LastUsed) > o.OlderThan) &&
		(!o.Unfinished || !e.Complete)
}
