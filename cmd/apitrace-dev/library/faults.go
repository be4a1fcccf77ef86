package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/fault"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// RecordFaults builds kube-apiservers of a release, one with each fault of the course,
// and records them. It writes the recordings to a file in the folder, for package
// trace/recordings.
//
// A recording has the fault's name as its edited file. The names of the patched files would
// answer the exercise. A fault that cannot be recorded is left out, and the error says why.
// If names are given, only these faults are recorded; the recordings of other faults are
// copied from this program's embedded ones.
func RecordFaults(ctx context.Context, version, folder string, names []string, to session.Reporter) error {
	faults, err := fault.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(faults, func(f *fault.Fault) bool { return f.Name == name }) {
			return message.UsageErrorf("there is no fault %q", name)
		}
	}
	info, err := infoOf(ctx, folder)
	if err != nil {
		return err
	}
	info.K8sVersion, info.Command = version, "make faults"
	var all []*trace.Recording
	var failed error
	for i, f := range faults {
		record := func() (*trace.Recording, error) { return recordFault(ctx, version, f, to) }
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			record = func() (*trace.Recording, error) { return recordings.Load(version, f.Name) }
		}
		to.Notice("%s %d/%d %s", version, i+1, len(faults), f.Name)
		recording, err := record()
		if ctx.Err() != nil { // keep the old file: it is better than an incomplete one
			return errors.Join(context.Cause(ctx), failed)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("recording %s: %w", f.Name, err))
			continue
		}
		info.EtcdVersion = recording.EtcdVersion
		all = append(all, recording)
	}
	data, err := recordings.Pack(info, all)
	if err != nil {
		return err
	}
	// The file becomes part of the repository, so everybody may read it.
	file := filepath.Join(folder, recordings.FaultsFolder, recordings.FileName(version))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := renameio.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	to.Notice("%s: %d scenarios, %s", file, len(all), program.FormatBytes(int64(len(data))))
	return failed
}

// recordFault replays a fault's scenario on a server with the fault.
func recordFault(ctx context.Context, version string, f *fault.Fault, to session.Reporter) (_ *trace.Recording, err error) {
	dir, err := program.NewRunDir()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := addFault(ctx, program.Edits{Dir: dir.Path, Version: version}, f); err != nil {
		return nil, err
	}
	scenario, err := scenarios.Find(f.Scenario)
	if err != nil {
		return nil, err
	}
	scenario = scenario.AnyAnswer()
	if f.Cold {
		for i := range scenario.Requests {
			scenario.Requests[i].Warmup = []scenarios.HTTP{}
		}
	}
	options := session.ServerOptions{Spec: session.Spec{Version: version}, Reuse: session.ReuseNone, Edits: session.EditsIn(dir.Path)}
	recording, err := options.RecordScenario(ctx, nil, scenario, to)
	if err != nil {
		return nil, err
	}
	recording.Scenario, recording.Edited = f.Name, []string{f.Name}
	return recording, nil
}

// addFault applies a fault: it adds an edit for each file that the fault patches.
func addFault(ctx context.Context, edits program.Edits, f *fault.Fault) error {
	for _, name := range f.Files() {
		edit, err := apiserver.AddEdit(ctx, edits, name, apiserver.BuildOptions{Version: edits.Version})
		if err != nil {
			return err
		}
		text, err := f.Apply(name, edit.Text)
		if err != nil {
			return err
		}
		if err := os.WriteFile(edit.Path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
