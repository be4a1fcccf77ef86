package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/program"
	"github.com/kubeapitrace/apitrace/recordings"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// recordOptions say of which release to make the recordings, and where to put them.
type recordOptions struct {
	server serverOptions
	folder string
}

// newRecordCommand is for those who work on apitrace: "make record" calls it.
func newRecordCommand(io *streams) *cobra.Command {
	o := &recordOptions{}
	command := &cobra.Command{
		Use:    "record",
		Hidden: true,
		Short:  "Make the recordings of a release that are part of apitrace",
		Long: `Replay every scenario against one kube-apiserver and write the traces to a file that
the next build of apitrace contains. A scenario that fails is reported and left out, with
the reason in the file. An older file of the same minor release is replaced.`,
		Example: `  # In the repository of apitrace
  apitrace record --k8s v1.30.4`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.server.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), io)
		},
	}
	o.server.addVersionFlag(command)
	command.Flags().StringVar(&o.folder, "to", recordings.Folder, "folder of the files")
	return command
}

func (o *recordOptions) run(ctx context.Context, io *streams) (err error) {
	if info, err := os.Stat(o.folder); err != nil || !info.IsDir() {
		return usageErrorf("there is no folder %q: call this in the repository of apitrace, or say where with --to", o.folder)
	}
	library, err := scenarios.List()
	if err != nil {
		return err
	}
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		return err
	}
	commit, err := commitOf(ctx, o.folder)
	if err != nil {
		return err
	}
	ctx, server, stop, err := o.server.obtain(ctx, io)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	r := &recorder{server: server, info: recordings.Info{
		K8sVersion: server.K8sVersion, EtcdVersion: server.EtcdVersion, Recorded: time.Now().UTC().Truncate(time.Second),
		Apitrace: commit, Go: fmt.Sprintf("%s %s/%s", toolchain.Version, toolchain.OS, toolchain.Arch),
		Command: "apitrace record --k8s " + server.K8sVersion,
	}}
	for i, scenario := range library {
		io.notice("%s %d/%d %s", server.K8sVersion, i+1, len(library), scenario.Name)
		r.record(ctx, io, scenario)
		if ctx.Err() != nil {
			return errors.Join(deathOf(ctx), r.failed)
		}
	}
	return errors.Join(r.failed, r.write(io, o.folder))
}

// commitOf names the commit of the repository that the folder is in. The version that the
// go command notes in a binary will not do: it has none in a worktree.
func commitOf(ctx context.Context, folder string) (string, error) {
	git := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12")
	git.Dir = folder
	name, err := git.Output()
	if err != nil {
		return "", fmt.Errorf("which commit of apitrace this is (%s): %w", git, err)
	}
	return strings.TrimSpace(string(name)), nil
}

// A recorder gathers the recordings of one release.
type recorder struct {
	server *apiserver.Server
	info   recordings.Info
	all    []*trace.Recording
	// failed joins what went wrong with scenarios.
	failed error
}

func (r *recorder) record(ctx context.Context, io *streams, scenario *scenarios.Scenario) {
	s := newSession(r.server, scenario)
	err := s.play(ctx, io)
	if err == nil {
		err = s.verdict(false, io)
	}
	if err != nil {
		io.notice("  failed: %v", err)
		r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", scenario.Name, err))
		r.info.Missing = append(r.info.Missing, recordings.Missing{Scenario: scenario.Name, Reason: oneLine(err)})
		return
	}
	r.all = append(r.all, &s.recording)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func (r *recorder) write(io *streams, folder string) error {
	data, err := recordings.Pack(r.info, r.all)
	if err != nil {
		return err
	}
	file := recordings.FileName(r.info.K8sVersion)
	if err := writeAtomically(filepath.Join(folder, file), data); err != nil {
		return err
	}
	io.notice("%s: %d scenarios, %s", filepath.Join(folder, file), len(r.all), program.FormatBytes(int64(len(data))))
	return r.removeOlder(folder, file)
}

// removeOlder leaves one file of each minor release.
func (r *recorder) removeOlder(folder, keep string) error {
	found, err := filepath.Glob(filepath.Join(folder, recordings.FileName(semver.MajorMinor(r.info.K8sVersion)+".*")))
	if err != nil {
		return err
	}
	for _, file := range found {
		if filepath.Base(file) != keep {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

// writeAtomically writes a file that is there complete or not at all. It is part of the
// repository, so others may read it.
func writeAtomically(path string, data []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, data, 0o644); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return os.Rename(temporary, path)
}
