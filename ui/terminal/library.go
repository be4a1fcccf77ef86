package terminal

import (
	"context"
	"os/exec"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

// A Library provides the data of a Model.
type Library interface {
	// Scenarios and Releases list the names that Load accepts.
	Scenarios() []string
	Releases() []string
	// Load returns the recording of a scenario by a release.
	Load(scenario, release string) (*trace.Recording, error)
	// Find searches all recordings and releases, and the layers, lessons, exercises and documents
	// in a language. If it finds nothing, the error suggests another search.
	Find(text, lang string) ([]Found, error)
	// Guide returns the guide in a language, with only the steps for the
	// releases of the recordings. Without recordings, it has all steps.
	Guide(lang string, recs ...*trace.Recording) (view.Guide, error)
	// Source returns the text of the file that declares the called function.
	// It does not use the network.
	Source(rec *trace.Recording, call *trace.Call) (string, error)
	// SourceDiff compares the text of a function on both sides of a comparison.
	// It does not use the network.
	SourceDiff(a, b *trace.Recording, callA, callB *trace.Call, o source.DiffOptions) (string, error)
	// Replay replays a scenario on the running server.
	Replay(ctx context.Context, scenario, release string) (*trace.Recording, error)
	// Editor returns the command that opens the file of a call at a line.
	Editor(rec *trace.Recording, call *trace.Call, line int) (*exec.Cmd, error)
}
