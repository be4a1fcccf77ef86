package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// Local is a Library of the recordings that apitrace carries, the sources and the editor of this machine,
// and a server that "apitrace serve" keeps running.
type Local struct{}

var _ Library = (*Local)(nil)

// Scenarios implements Library.
func (*Local) Scenarios() []string {
	infos, err := recordings.Versions()
	if err != nil {
		return nil
	}
	var names []string
	for _, info := range infos {
		names = append(names, info.Scenarios...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Releases implements Library.
func (*Local) Releases() []string {
	infos, err := recordings.Versions()
	if err != nil {
		return nil
	}
	var names []string
	for _, info := range slices.Backward(infos) {
		names = append(names, info.K8sVersion)
	}
	return names
}

// Load implements Library.
func (*Local) Load(scenario, release string) (*trace.Recording, error) {
	return session.Recorded(release, scenario)
}

// Guide implements Library.
func (*Local) Guide(rec *trace.Recording, lang string) (view.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return spoken.New(guide, lang, rec), nil
}

// Source implements Library.
func (*Local) Source(rec *trace.Recording, call *trace.Call) (string, error) {
	folder, err := apiserver.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(call.File)))
	return string(text), err
}

// Diff implements Library.
func (*Local) Diff(a, b *trace.Recording, lang string, width int, sideBySide bool) (string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	spoken := spoken.New(guide, lang, a, b)
	var out bytes.Buffer
	err = render.WriteDiff(&out, diff.CompareRecordings(a, b, diff.Options{}), spoken, render.DiffOptions{
		Options: render.Options{Width: width, Palette: render.Colours()}, Lang: lang, SideBySide: sideBySide,
		NameA: a.K8sVersion, NameB: b.K8sVersion,
	})
	return out.String(), err
}

// Replay implements Library.
func (*Local) Replay(ctx context.Context, name, release string) (replayed *trace.Recording, err error) {
	scenario, err := scenarios.Find(name)
	if err != nil {
		return nil, err
	}
	o := session.ServerOptions{Spec: session.Spec{Version: release}, Reuse: session.ReuseAny}
	if _, err := o.Attach(ctx); err != nil {
		return nil, fmt.Errorf("replaying %q: %w; start a server with \"apitrace serve --k8s %s\"", name, err, release)
	}
	err = session.Run(ctx, o, scenario, quiet{io.Discard}, func(rec *trace.Recording) error {
		replayed = rec
		return nil
	})
	return replayed, err
}

// Editor implements Library.
func (*Local) Editor(rec *trace.Recording, call *trace.Call, line int) (*exec.Cmd, error) {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return nil, errors.New("set VISUAL or EDITOR to the editor that you use")
	}
	folder, err := apiserver.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, filepath.FromSlash(call.File))
	if strings.Contains(filepath.Base(strings.Fields(editor)[0]), "code") {
		return exec.Command("sh", "-c", editor+` --goto "$0"`, fmt.Sprintf("%s:%d", file, line)), nil
	}
	return exec.Command("sh", "-c", editor+` "$0" "$1"`, fmt.Sprintf("+%d", line), file), nil
}

// quiet keeps what a session reports off the screen, which the full-screen view has.
type quiet struct{ to io.Writer }

func (q quiet) Notice(format string, args ...any) { fmt.Fprintf(q.to, format, args...) }

func (q quiet) Building() session.BuildReporter { return program.NewDisplay(q.to, false) }
