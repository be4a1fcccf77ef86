// Package library makes the files that apitrace embeds: the recordings of releases and of
// the course's faults, and the indexes of functions, calls and names.
//
// Package distribution makes the files of a release of apitrace.
package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// recordRelease replays every scenario against a release's kube-apiserver and writes
// the traces to a file in the folder, for package trace/recordings. A scenario that
// fails is reported and left out, and the file has the reason; the returned error joins
// all failures. The file of another patch release of the same minor version is removed.
func recordRelease(ctx context.Context, version, folder string, to session.Reporter) (err error) {
	library, err := scenarios.List()
	if err != nil {
		return err
	}
	info, err := infoOf(ctx, folder)
	if err != nil {
		return err
	}
	options := session.ServerOptions{Spec: session.Spec{Version: version}, Reuse: session.ReuseNone, Edits: session.NoEdits()}
	ctx, server, err := options.Obtain(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	info.K8sVersion, info.EtcdVersion, info.Command = server.K8sVersion, server.EtcdVersion, "make record K8S="+server.K8sVersion
	r := &recorder{to: to, options: options, server: server, info: info}
	for i, scenario := range library {
		to.Notice("%s %d/%d %s", server.K8sVersion, i+1, len(library), scenario.Name)
		r.record(ctx, scenario)
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), r.failed)
		}
	}
	return errors.Join(r.failed, r.write(folder))
}

// infoOf returns the facts that do not depend on the recorded release: the time, the commit
// of the folder's repository, and the Go toolchain.
func infoOf(ctx context.Context, folder string) (recordings.Info, error) {
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		return recordings.Info{}, err
	}
	commit, err := commitOf(ctx, folder)
	return recordings.Info{
		Recorded: time.Now().UTC().Truncate(time.Second), Apitrace: commit,
		Go: fmt.Sprintf("%s %s/%s", toolchain.Version, toolchain.OS, toolchain.Arch),
	}, err
}

// commitOf returns the commit of the folder's repository, with "-dirty" if files other
// than recordings differ from it. It does not use the binary's build information, because
// the go command records no commit in a git worktree.
func commitOf(ctx context.Context, folder string) (string, error) {
	commit, err := git(ctx, folder, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := git(ctx, folder, "status", "--porcelain", "--", ":/", ":(exclude,top)"+recordings.Folder)
	if changed != "" {
		commit += "-dirty"
	}
	return commit, err
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = folder
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("finding the commit of apitrace (%s in %s): %w", command, folder, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// A recorder collects the recordings of one release.
type recorder struct {
	to      session.Reporter
	options session.ServerOptions
	// server replays the scenarios that do not need a server of their own.
	server *session.Running
	info   recordings.Info
	all    []*trace.Recording
	// failed joins the errors of the scenarios.
	failed error
}

// record adds a scenario's recording, or the reason why it is missing.
func (r *recorder) record(ctx context.Context, scenario *scenarios.Scenario) {
	var other *scenarios.VersionError
	if errors.As(scenario.RunsOn(r.info.K8sVersion), &other) {
		r.miss(scenario, fmt.Errorf("it needs Kubernetes %s", other.Releases.Text().String()))
		return
	}
	if scenario.Follow != nil && session.CanFollow(r.info.K8sVersion) != nil {
		r.miss(scenario, errors.New(recordings.CannotFollow))
		return
	}
	recording, err := r.options.RecordScenario(ctx, r.server, scenario, r.to)
	if err != nil {
		r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", scenario.Name, err))
		r.miss(scenario, err)
		return
	}
	r.all = append(r.all, recording)
}

func (r *recorder) miss(scenario *scenarios.Scenario, reason error) {
	r.to.Notice("  not recorded: %v", reason)
	r.info.Missing = append(r.info.Missing, recordings.Missing{Scenario: scenario.Name, Reason: reasonOf(reason)})
}

// reasonOf returns in one line why a scenario is missing, without details of this
// machine.
func reasonOf(err error) string {
	var download *program.DownloadError
	if errors.As(err, &download) {
		return fmt.Sprintf("the module %s %s is not available from the module proxy", download.Module, download.Version)
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

func (r *recorder) write(folder string) error {
	data, err := recordings.Pack(r.info, r.all)
	if err != nil {
		return err
	}
	file := recordings.FileName(r.info.K8sVersion)
	// The file becomes part of the repository, so everybody may read it.
	if err := renameio.WriteFile(filepath.Join(folder, file), data, 0o644); err != nil {
		return err
	}
	r.to.Notice("%s: %d scenarios, %s", filepath.Join(folder, file), len(r.all), program.FormatBytes(int64(len(data))))
	return r.removeOlder(folder, file)
}

// removeOlder removes the files of other patch releases of the same minor version. keep
// is the name of the file that stays.
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
