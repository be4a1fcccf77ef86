package main

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

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/render/terminal"
	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

func newExploreCommand(std *streams) *cobra.Command {
	o := &showOptions{interactive: true}
	command := newCommand("explore", cobra.MaximumNArgs(1), func(c *cobra.Command, args []string) error {
		const first = "get-node"
		o.what = strings.Join(append(args, first)[:1], "")
		if err := errors.Join(o.output.validateView(), o.server.validate(), o.validate(c)); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	command.ValidArgsFunction = completeScenario
	o.output.view, o.output.format = "path", "tree"
	o.server.addVersion(command)
	addOnlyFlag(command, &o.only)
	addLanguageFlag(command, &o.output.lang)
	command.Flags().StringVar(&o.output.colour, "color", "auto", "when to use colours: auto, always or never")
	command.Flags().BoolVar(&o.output.ascii, "ascii", false, "draw with ASCII characters alone")
	return command
}

// explore shows a recording full screen until the user leaves.
func explore(ctx context.Context, std *streams, recording *trace.Recording, o *outputOptions) error {
	if std.width == 0 {
		return errors.New("the full-screen view needs a terminal: standard output is none; \"apitrace show\" prints the same")
	}
	lang, err := language(o.lang)
	if err != nil {
		return err
	}
	colour, err := render.UseColour(o.colour, true, os.Getenv)
	if err != nil {
		return err
	}
	model, err := terminal.New(&terminalLibrary{std: std}, recording, terminal.Options{
		Lang: lang, Colour: colour, ASCII: o.ascii || asciiLocale(os.Getenv), Steps: render.StepsPerRequest(len(recording.Requests)),
	})
	if err != nil {
		return err
	}
	_, err = tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(std.in), tea.WithOutput(std.raw())).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// A terminalLibrary is what the full-screen view shows: the recordings that apitrace carries, and sources
// that are on this machine.
type terminalLibrary struct{ std *streams }

var _ terminal.Library = (*terminalLibrary)(nil)

func (l *terminalLibrary) Scenarios() []string {
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

func (l *terminalLibrary) Releases() []string {
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

func (l *terminalLibrary) Load(scenario, release string) (*trace.Recording, error) {
	return session.Recorded(release, scenario)
}

func (l *terminalLibrary) Guide(rec *trace.Recording, lang string) (view.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return spoken.New(guide, lang, rec), nil
}

func (l *terminalLibrary) Source(rec *trace.Recording, call *trace.Call) (string, error) {
	folder, err := apiserver.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(call.File)))
	return string(text), err
}

func (l *terminalLibrary) Diff(a, b *trace.Recording, lang string, width int, sideBySide bool) (string, error) {
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

func (l *terminalLibrary) Replay(ctx context.Context, name, release string) (replayed *trace.Recording, err error) {
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

func (l *terminalLibrary) Editor(rec *trace.Recording, call *trace.Call, line int) (*exec.Cmd, error) {
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
