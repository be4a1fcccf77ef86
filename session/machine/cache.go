package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
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
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var total int64
	table := text.NewTable(3)
	table.Row("KIND", "PROGRAM", "VERSION", "TRACED", "SIZE", "LAST-USED", "STATE", "EDITED")
	for _, e := range entries {
		table.Row(e.Kind, orDash(e.Program), orDash(e.Version), traced(e), program.FormatBytes(e.Size), e.LastUsed.Format(time.DateTime), state(e), edited(e))
		total += e.Size
	}
	if err := table.Write(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\ntotal: %s; bound: %s\n", program.FormatBytes(total), bound(cache))
	return err
}

// bound says how much the cache may take, and what decides it.
func bound(cache *program.Cache) string {
	if cache.Max == 0 {
		return "none (" + program.MaxEnv + " sets one)"
	}
	return program.FormatBytes(cache.Max) + " (" + program.MaxEnv + ")"
}

// edited names the files whose edits a build has.
func edited(e program.Entry) string {
	if !e.Edited {
		return "-"
	}
	var files []string
	for _, file := range e.Edits {
		files = append(files, path.Base(path.Dir(file))+"/"+path.Base(file))
	}
	if len(files) == 0 {
		return "yes"
	}
	return strings.Join(files, ",")
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
	switch {
	case !e.Complete:
		return "unfinished"
	case e.InUse():
		return "in use"
	default:
		return "complete"
	}
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
	table.Row("bound", bound(cache))
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
	// Edited keeps all but builds with edits.
	Edited bool
	// Max, if not "", keeps what fits into that size: what was used least recently goes first.
	Max string
	// DryRun removes nothing.
	DryRun bool
}

// Validate says what is wrong with the choice.
func (o *Clean) Validate() error {
	if o.Max == "" {
		return nil
	}
	if len(o.Kinds) > 0 || o.OlderThan != 0 || o.Unfinished || o.Edited {
		return message.NewError("--max chooses by itself what to remove: give it alone, or with --dry-run")
	}
	if _, err := program.ParseBytes(o.Max); err != nil {
		return message.Errorf("--max: %w", err)
	}
	return nil
}

// Run removes it, and lists what it removes. What is in use stays, which is an error.
func (o *Clean) Run(ctx context.Context, w io.Writer) error {
	if o.Max != "" {
		return o.trim(ctx, w)
	}
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var freed int64
	var errs []error
	for _, e := range entries {
		if !o.wants(e) {
			continue
		}
		if !o.DryRun {
			if err := cache.Remove(e); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		freed += e.Size
		o.removed(w, e)
	}
	o.total(w, freed)
	return errors.Join(errs...)
}

// trim removes until the rest fits.
func (o *Clean) trim(ctx context.Context, w io.Writer) error {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	maxSize, err := program.ParseBytes(o.Max)
	if err != nil {
		return err
	}
	// 0 would be no bound.
	trimmed, err := cache.Trim(ctx, max(maxSize, 1), o.DryRun)
	if err != nil {
		return err
	}
	for _, e := range trimmed.Entries {
		o.removed(w, e)
	}
	if trimmed.GoCache > 0 {
		fmt.Fprintf(w, "%s %s (its oldest files)\n", program.KindGoCache, program.FormatBytes(trimmed.GoCache))
	}
	o.total(w, trimmed.Freed())
	if trimmed.Left > maxSize {
		return message.Errorf("the cache still takes %s: the rest is in use", program.FormatBytes(trimmed.Left))
	}
	return nil
}

func (o *Clean) removed(w io.Writer, e program.Entry) {
	fmt.Fprintf(w, "%s %s\n", e.Kind, strings.Join(strings.Fields(e.Program+" "+e.Version+" "+program.FormatBytes(e.Size)), " "))
}

func (o *Clean) total(w io.Writer, freed int64) {
	verb := "removed"
	if o.DryRun {
		verb = "would remove"
	}
	fmt.Fprintf(w, "%s %s\n", verb, program.FormatBytes(freed))
}

func (o *Clean) wants(e program.Entry) bool {
	return (len(o.Kinds) == 0 || slices.Contains(o.Kinds, string(e.Kind))) &&
		(o.OlderThan == 0 || time.Since(e.LastUsed) > o.OlderThan) &&
		(!o.Unfinished || !e.Complete) &&
		(!o.Edited || e.Edited)
}
