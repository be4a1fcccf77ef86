package terminal

import (
	"context"
	"os/exec"

	"github.com/kubeapitrace/apitrace/render/view"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Library is where a Model gets what it shows.
type Library interface {
	// Scenarios and Releases list what can be loaded.
	Scenarios() []string
	Releases() []string
	// Load returns the recording of a scenario by a release.
	Load(scenario, release string) (*trace.Recording, error)
	// Guide returns the guide in a language, as it holds for a recording.
	Guide(rec *trace.Recording, lang string) (view.Guide, error)
	// Source returns the text of a call's file, from this machine alone.
	Source(rec *trace.Recording, call *trace.Call) (string, error)
	// Diff tells in text how two recordings differ.
	Diff(a, b *trace.Recording, lang string, width int, sideBySide bool) (string, error)
	// Replay replays a scenario on the server that runs.
	Replay(ctx context.Context, scenario, release string) (*trace.Recording, error)
	// Editor returns the command that opens the file of a call at a line.
	Editor(rec *trace.Recording, call *trace.Call, line int) (*exec.Cmd, error)
}
