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

// Kinds returns the kinds of the cache's entries.
func Kinds() []string {
	var names []string
	for _, kind := range program.Kinds {
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

// WriteCache lists the entries of the cache.
func WriteCache(w io.Writer, p message.Printer) error {
	cache, entries, err := cacheEntries()
	if err != nil {
		return err
	}
	var total int64
	table := text.NewTable(3)
	table.Row(p.Sprintf("KIND"), p.Sprintf("PROGRAM"), p.Sprintf("VERSION"), p.Sprintf("TRACED"), p.Sprintf("SIZE"), p.Sprintf("LAST-USED"), p.Sprintf("STATE"), p.Sprintf("EDITED"), p.Sprintf("ALSO-TRACED"))
	for _, e := range entries {
		table.Row(e.Kind, orDash(e.Program), orDash(e.Version), traced(e, p), program.FormatBytes(e.Size), e.LastUsed.Format(time.DateTime), state(e).In(p.Lang()), edited(e, p), orDash(strings.Join(e.More, ",")))
		total += e.Size
	}
	if err := table.Write(w); err != nil {
		return err
	}
	_, err = fmt.Fprint(w, "\n", p.Sprintf("total: %s; limit: %s", program.FormatBytes(total), bound(cache)), "\n")
	return err
}

// bound describes the cache's maximum size, and the variable that sets it.
func bound(cache *program.Cache) message.Message {
	if cache.Max == 0 {
		return message.Of("none (%s sets one)", program.MaxEnv)
	}
	return message.Of("%s (%s)", program.FormatBytes(cache.Max), program.MaxEnv)
}

// edited names the edited files in a build.
func edited(e program.Entry, p message.Printer) string {
	if !e.Edited {
		return "-"
	}
	var files []string
	for _, file := range e.Edits {
		files = append(files, path.Base(path.Dir(file))+"/"+path.Base(file))
	}
	if len(files) == 0 {
		return p.Sprintf("yes")
	}
	return strings.Join(files, ",")
}

func traced(e program.Entry, p message.Printer) string {
	switch {
	case e.Kind != program.KindBuild:
		return "-"
	case e.Instrumented:
		return p.Sprintf("yes")
	default:
		return p.Sprintf("no")
	}
}

func state(e program.Entry) message.Message {
	switch {
	case !e.Complete:
		return message.Of("unfinished")
	case e.InUse():
		return message.Of("in use")
	default:
		return message.Of("complete")
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// WriteSizes writes the size of the cache by kind, the free space on its disk, and
// its path.
func WriteSizes(w io.Writer, p message.Printer) error {
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
	for _, kind := range program.Kinds {
		size := sizeOf(entries, kind)
		total += size
		table.Row(kind, program.FormatBytes(size))
	}
	table.Row(p.Sprintf("total"), program.FormatBytes(total))
	table.Row(p.Sprintf("limit"), bound(cache).In(p.Lang()))
	table.Row(p.Sprintf("free"), program.FormatBytes(free))
	table.Row(p.Sprintf("folder"), cache.Root)
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

// A Clean selects the parts of the cache to remove.
type Clean struct {
	// Kinds are the kinds to remove; empty for all.
	Kinds []string
	// Edited removes only builds with edits.
	Edited bool
	// Max, if not "", trims the cache to this size, such as "5GB", the least recently
	// used entries first.
	Max string
	// DryRun removes nothing.
	DryRun bool
}

// Validate returns an error if the fields contradict each other.
func (o *Clean) Validate() error {
	if o.Max == "" {
		return nil
	}
	if len(o.Kinds) > 0 || o.Edited {
		return message.NewError("--max selects what to remove: use it alone, or with --dry-run")
	}
	if _, err := program.ParseBytes(o.Max); err != nil {
		return message.Errorf("--max: %w", err)
	}
	return nil
}

// Run removes the selected entries and lists them. Entries in use stay and cause an
// error.
func (o *Clean) Run(ctx context.Context, w io.Writer, p message.Printer) error {
	if o.Max != "" {
		return o.trim(ctx, w, p)
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
	o.total(w, p, freed)
	return errors.Join(errs...)
}

// trim removes entries until the rest fits.
func (o *Clean) trim(ctx context.Context, w io.Writer, p message.Printer) error {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	maxSize, err := program.ParseBytes(o.Max)
	if err != nil {
		return err
	}
	// 0 would mean no limit.
	trimmed, err := cache.Trim(ctx, max(maxSize, 1), o.DryRun)
	if err != nil {
		return err
	}
	for _, e := range trimmed.Entries {
		o.removed(w, e)
	}
	if trimmed.GoCache > 0 {
		fmt.Fprintln(w, p.Sprintf("%s %s (its oldest files)", program.KindGoCache, program.FormatBytes(trimmed.GoCache)))
	}
	o.total(w, p, trimmed.Freed())
	if trimmed.Left > maxSize {
		return message.Errorf("the cache still takes %s: the rest is in use", program.FormatBytes(trimmed.Left))
	}
	return nil
}

func (o *Clean) removed(w io.Writer, e program.Entry) {
	fmt.Fprintf(w, "%s %s\n", e.Kind, strings.Join(strings.Fields(e.Program+" "+e.Version+" "+program.FormatBytes(e.Size)), " "))
}

func (o *Clean) total(w io.Writer, p message.Printer, freed int64) {
	total := message.Of("removed %s", program.FormatBytes(freed))
	if o.DryRun {
		total = message.Of("would remove %s", program.FormatBytes(freed))
	}
	fmt.Fprintln(w, total.In(p.Lang()))
}

func (o *Clean) wants(e program.Entry) bool {
	return (len(o.Kinds) == 0 || slices.Contains(o.Kinds, string(e.Kind))) && (!o.Edited || e.Edited)
}
