package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/calls"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
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
	wanted := apiserver.Programs()
	if session.CanFollow(version) == nil {
		wanted = append(wanted, controlplane.Programs()...)
	}
	programs := map[string]*recordings.Program{}
	for _, p := range wanted {
		display := to.Building()
		src, err := controlplane.SourceOf(ctx, p.Name, apiserver.BuildOptions{Version: version, Progress: display})
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

// RecordScenarios records some scenarios anew in releases. The other recordings are those in
// this binary.
func RecordScenarios(ctx context.Context, versions []string, folder string, names []string, to session.Reporter) (err error) {
	var chosen []*scenarios.Scenario
	for _, name := range names {
		scenario, err := scenarios.Known(name)
		if err != nil {
			return err
		}
		chosen = append(chosen, scenario)
	}
	for _, version := range versions {
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		err = errors.Join(err, recordScenarios(ctx, version, folder, chosen, to))
	}
	return err
}

func recordScenarios(ctx context.Context, version, folder string, chosen []*scenarios.Scenario, to session.Reporter) error {
	releases, err := recordings.Range(version, version)
	if err != nil {
		return err
	}
	others, err := recordings.All(version)
	if err != nil {
		return err
	}
	isChosen := func(name string) bool {
		return slices.ContainsFunc(chosen, func(s *scenarios.Scenario) bool { return s.Name == name })
	}
	r := &recorder{to: to, options: session.ServerOptions{Spec: session.Spec{Version: version}, Reuse: session.ReuseNone, Edits: session.NoEdits()}, info: releases[0]}
	r.all = slices.DeleteFunc(others, func(rec *trace.Recording) bool { return isChosen(rec.Scenario) })
	r.info.Missing = slices.DeleteFunc(r.info.Missing, func(m recordings.Missing) bool { return isChosen(m.Scenario) })
	for _, scenario := range chosen {
		r.record(ctx, scenario)
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), r.failed)
		}
	}
	return errors.Join(r.failed, r.write(folder))
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
