package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
)

// A BuildExport exports builds to a file, for machines of this platform without network
// or Go.
type BuildExport struct {
	// K8s is the release, as for apiserver.ParseVersion.
	K8s string
	// Plain adds upstream's programs without tracing, Sample the sample API server.
	Plain, Sample bool
	// Rebuild adds the files that builds with edits need.
	Rebuild bool
	// File is the file to write. It appears once complete.
	File string
}

// Export makes the missing builds, and writes the file.
func (o *BuildExport) Export(ctx context.Context, to session.Reporter) error {
	programs, err := o.programs(ctx, to)
	if err != nil {
		return err
	}
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	to.Notice("writing %s", o.File)
	out, err := renameio.NewPendingFile(o.File, renameio.WithStaticPermissions(0o644))
	if err != nil {
		return message.Errorf("writing %s: %w", o.File, err)
	}
	defer out.Cleanup()
	size, err := cache.Export(ctx, out, programs...)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err == nil {
		err = out.CloseAtomicallyReplace()
	}
	if err != nil {
		return message.Errorf("writing %s: %w", o.File, err)
	}
	var names []message.Message
	for _, p := range programs {
		name := message.Of("%s", p.Program)
		if p.Options.Rewrite == nil {
			name = message.Of("%s without tracing", p.Program)
		}
		names = append(names, name)
	}
	to.Notice("%s has %s for %s/%s: %s, and takes %s when imported", filepath.Base(o.File), message.Join("%s, %s", names...),
		runtime.GOOS, runtime.GOARCH, program.FormatBytes(info.Size()), program.FormatBytes(size))
	return nil
}

// programs makes missing builds, and returns the export's contents.
func (o *BuildExport) programs(ctx context.Context, to session.Reporter) (all []program.ExportedProgram, err error) {
	kinds := []bool{false}
	if o.Plain {
		kinds = append(kinds, true)
	}
	for _, plain := range kinds {
		options := apiserver.BuildOptions{Version: o.K8s, Plain: plain}
		if err := buildFor(ctx, options, o.Sample && !plain, to); err != nil {
			return nil, err
		}
		options.Progress = notices{to}
		programs, err := apiserver.ProgramsForExport(ctx, options, o.Sample && !plain, o.Rebuild && !plain)
		if err != nil {
			return nil, err
		}
		all = append(all, programs...)
	}
	return all, nil
}

// notices forwards an export's notes, such as a wait for another build, but not its
// progress.
type notices struct{ to session.Reporter }

// Report implements program.Progress.
func (n notices) Report(e program.Event) {
	if !e.Note.IsZero() {
		n.to.Notice("%s: %s", e.Program, e.Note)
	}
}

// buildFor builds upstream's source, without edits of the user.
func buildFor(ctx context.Context, o apiserver.BuildOptions, sample bool, to session.Reporter) error {
	display := to.Building()
	defer display.Close()
	o.Progress = display
	built, err := apiserver.BuildPrograms(ctx, o)
	if err != nil {
		return err
	}
	built.Release()
	if !sample {
		return nil
	}
	recipe, err := apiserver.Recipe(ctx, sampleserver.Name, o)
	if err != nil {
		return err
	}
	binary, err := recipe.Build(ctx)
	binary.Release()
	return err
}

// Import imports the builds in a file, and lists them.
func Import(ctx context.Context, file string, w io.Writer, p message.Printer, to session.Reporter) error {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return message.Errorf("reading the export: %w", err)
	}
	defer in.Close()
	taken, err := cache.Import(ctx, in)
	if err != nil {
		return message.Errorf("%s: %w", file, err)
	}
	var failed error
	for _, e := range taken {
		state := p.Sprintf("imported")
		if e.Existed {
			state = p.Sprintf("already in the cache")
		}
		fmt.Fprintf(w, "%s %s %s: %s\n", e.Kind, e.Program, e.Version, state)
		if e.Program == apiserver.Name && e.Kind == program.KindBuild {
			failed = errors.Join(failed, warnOld(ctx, cache, e, to))
		}
	}
	return failed
}

// warnOld reports an imported build that this apitrace would not use.
func warnOld(ctx context.Context, cache *program.Cache, e program.Imported, to session.Reporter) error {
	entries, err := cache.Entries(program.KindWorkspace, program.KindBuild)
	if err != nil {
		return err
	}
	stock, err := apiserver.CacheStatusOf(ctx, e.Version, cache, entries)
	if err == nil && stock.OtherBuild {
		to.Notice("%s %s was exported by another version of apitrace, or built with another Go than the one here: this one would build it again", e.Program, e.Version)
	}
	return err
}
