package library

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/calls"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// indexRelease reads the source of a release's programs and adds their functions and
// calls to the index in the folder. It downloads the source if necessary, and builds
// nothing.
func indexRelease(ctx context.Context, version, folder string, to session.Reporter) error {
	guide, err := instrument.Load()
	if err != nil {
		return err
	}
	programs := map[string]*recordings.Program{}
	for _, p := range apiserver.Programs() {
		display := to.Building()
		src, err := apiserver.SourceOf(ctx, p.Name, apiserver.BuildOptions{Version: version, Progress: display})
		display.Close()
		var missing *program.DownloadError
		if errors.As(err, &missing) && missing.Unknown() && p.Optional {
			to.Notice("%s %s is not in the index: %v", p.Name, version, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("indexing %s: %w", version, err)
		}
		tree := &source.Tree{Program: src.Program, Version: src.Version, Dir: src.Dir}
		to.Notice("%s: reading the calls", tree)
		if programs[p.Name], err = calls.Read(guide, tree); err != nil {
			return err
		}
	}
	return recordings.PutIndex(folder, version, programs)
}

// Check returns an error if apitrace cannot trace a version, or if the folder does not
// exist.
func Check(versions []string, folder string) error {
	for _, version := range versions {
		if _, err := apiserver.ParseVersion(version); err != nil {
			return err
		}
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %q: run this command in the repository of apitrace, or name the folder with --to", folder)
	}
	return nil
}

// Record makes the index and the recordings of releases in a folder. For the default
// release, it also records the course's faults. With onlyIndex, it makes only the index.
func Record(ctx context.Context, versions []string, folder string, onlyIndex bool, to session.Reporter) error {
	var failed error
	for _, version := range versions {
		err := indexRelease(ctx, version, folder, to)
		if err == nil && !onlyIndex {
			err = recordRelease(ctx, version, folder, to)
		}
		if err == nil && !onlyIndex && version == apiserver.DefaultVersion {
			err = RecordFaults(ctx, version, folder, nil, to)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("recording %s: %w", version, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}
