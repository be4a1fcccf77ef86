package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/gates"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/view"
	"github.com/kubeapitrace/apitrace/workshop/reading"
)

// Local is a Library of the embedded recordings, and of the sources
// and the editor of this machine. It replays on a server that
// "apitrace serve" keeps running.
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

// Find implements Library.
func (*Local) Find(query, lang string) ([]Found, error) {
	pages, err := reading.Pages(lang)
	if err != nil {
		return nil, err
	}
	layers, err := reading.Layers(lang)
	if err != nil {
		return nil, err
	}
	played, err := reading.Scenarios(lang)
	if err != nil {
		return nil, err
	}
	result, err := search.Query{Text: query, Layers: layers, Pages: append(played, pages...), Enclosing: controlplane.Enclosing}.Find()
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, l := range result.Lines {
		found := Found{Title: funcname.Short(l.Function) + ": " + l.Says().In(lang), Command: l.Command(), Is: func(c *trace.Call) bool { return c.Function == l.Function }}
		for _, scenario := range l.Scenarios {
			found.Places = append(found.Places, search.Place{Release: l.Release, Scenario: scenario})
		}
		all = append(all, found)
	}
	for i := range result.Hits {
		all = append(all, Found{Title: result.Hits[i].Text, Places: result.Hits[i].Places, Is: result.Hits[i].In})
	}
	for _, l := range result.Layers {
		all = append(all, Found{Title: saysLayer.In(lang) + ": " + l.Title, Command: "apitrace show SCENARIO --layer " + l.Name})
	}
	for i := range result.Pages {
		p := &result.Pages[i]
		found := Found{Title: p.Kind.Title().In(lang) + ": " + p.Title, Command: p.Command()}
		if p.Kind == search.Scenario {
			found.Places, found.Is = []search.Place{{Release: recordings.Latest, Scenario: p.Name}}, func(*trace.Call) bool { return true }
		}
		all = append(all, found)
	}
	for _, g := range result.Gates {
		all = append(all, Found{Title: g.Name, Command: "apitrace explain " + g.Name, Text: func(lang string) (string, error) {
			page, err := gates.NewPage(g, "", controlplane.Declared)
			if err != nil {
				return "", err
			}
			var out strings.Builder
			err = page.Write(&out, message.For(lang))
			return out.String(), err
		}})
	}
	for _, n := range result.Names {
		all = append(all, Found{Title: n.Name, Command: search.NameCommand(n)})
	}
	return all, nil
}

// Guide implements Library.
func (*Local) Guide(lang string, recs ...*trace.Recording) (view.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return nil, err
	}
	return guide.ForReader(lang, recs...), nil
}

// Source implements Library.
func (*Local) Source(rec *trace.Recording, call *trace.Call) (string, error) {
	folder, err := controlplane.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return "", fetchHint(err, rec, call)
	}
	text, err := bounded.ReadFile(filepath.Join(folder, filepath.FromSlash(call.File)), bounded.MaxText)
	return string(text), err
}

// SourceDiff implements Library.
func (*Local) SourceDiff(a, b *trace.Recording, callA, callB *trace.Call, o source.DiffOptions) (string, error) {
	textA, err := versionOf(a, callA)
	if err != nil {
		return "", err
	}
	textB, err := versionOf(b, callB)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	_, err = source.WriteDiff(&out, textA, textB, o)
	return out.String(), err
}

// fetchHint adds a hint to an error that is program.ErrNoSource: the command that
// fetches the call's source. It returns other errors unchanged.
func fetchHint(err error, rec *trace.Recording, call *trace.Call) error {
	if !errors.Is(err, program.ErrNoSource) {
		return err
	}
	return message.Errorf("%w; \"apitrace source '%s' --k8s %s\" fetches it", err, call.ShortName(), rec.K8sVersion)
}

// versionOf returns the text of a call's function. It does not use the network.
func versionOf(rec *trace.Recording, call *trace.Call) (source.Version, error) {
	folder, err := controlplane.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return source.Version{}, fetchHint(err, rec, call)
	}
	tree := &source.Tree{Program: call.Process, Version: rec.Version(call.Process), Dir: folder}
	function, err := tree.Function(call.Function)
	return source.Version{Function: function, Of: tree.String()}, err
}

// Replay implements Library.
func (*Local) Replay(ctx context.Context, name, release string) (replayed *trace.Recording, err error) {
	scenario, err := scenarios.Known(name)
	if err != nil {
		return nil, err
	}
	o := session.ServerOptions{Spec: session.Spec{Version: release}, Reuse: session.ReuseAny}
	if _, err := o.Attach(ctx); err != nil {
		return nil, message.Errorf("\"apitrace serve --k8s %s\" starts the server that a replay needs: %w", release, err)
	}
	err = session.Run(ctx, o, scenario, quiet{}, func(rec *trace.Recording) error {
		replayed = rec
		return nil
	})
	return replayed, err
}

// Editor implements Library.
func (*Local) Editor(rec *trace.Recording, call *trace.Call, line int) (*exec.Cmd, error) {
	folder, err := controlplane.CachedSourceOf(call.Process, rec.K8sVersion, nil)
	if err != nil {
		return nil, fetchHint(err, rec, call)
	}
	args, err := source.EditorCommand(filepath.Join(folder, filepath.FromSlash(call.File)), line, true, os.Getenv)
	if err != nil {
		return nil, err
	}
	return exec.Command(args[0], args[1:]...), nil
}

// quiet discards the reports of a session, because the full-screen view occupies the screen.
type quiet struct{}

func (quiet) Notice(string, ...any) {}

func (quiet) Building() session.BuildReporter {
	return program.NewDisplay(io.Discard, false, message.Printer{})
}
