package output

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
	"github.com/kubeapitrace/apitrace/trace/history"
	"github.com/kubeapitrace/apitrace/trace/lineage"
	"github.com/kubeapitrace/apitrace/view"
)

// WriteHistory prints each release's changes on a scenario's path. For a function, it
// prints the releases and scenarios with it on the path. For a feature gate, it prints
// each release's default.
func (o *Options) WriteHistory(std *console.Streams, what string) error {
	if _, err := scenarios.Find(what); err == nil {
		return o.ofScenario(std, what)
	}
	if g, err := FindGate(what); err != nil {
		return err
	} else if g != nil {
		return errors.Join(NoticeNamesake(std, "history", g.Name), g.WriteHistory(std.Out, std.Printer))
	}
	return o.ofFunction(std, what)
}

// A historyStep is a release in the history of a scenario. Brief is nil for the first
// recorded release. If NotRecorded is set, Why is the reason.
type historyStep struct {
	Version     string
	Calls       int
	Brief       *view.Brief
	NotRecorded bool
	Why         string
}

// ofScenario prints the changes of each release.
func (o *Options) ofScenario(std *console.Streams, scenario string) error {
	options, guide, err := o.historyDrawing(std)
	if err != nil {
		return err
	}
	steps, err := keptHistoryOf(scenario, guide, options.ComparisonOptions)
	if err != nil {
		return err
	}
	var lines []render.HistoryStep
	for _, step := range steps {
		line := render.HistoryStep{Version: step.Version, Calls: step.Calls, NotRecorded: step.NotRecorded, Why: step.Why}
		if step.Brief != nil {
			line.Changes = render.BriefOf(step.Brief, options)
		}
		lines = append(lines, line)
	}
	return render.WriteHistory(std.Out, lines, options)
}

// keptHistoryOf returns the history that an earlier process kept, or else makes and keeps
// it. The history of the scenario boot, a server's start, takes ten seconds of processor
// time.
func keptHistoryOf(scenario string, guide *instrument.ReaderGuide, options view.ComparisonOptions) (steps []historyStep, err error) {
	var answers *program.Answers
	if cache, err := program.OpenCache(""); err == nil {
		answers = cache.Answers()
	} else {
		slog.Debug("histories of scenarios are not kept", "error", err)
	}
	data, err := answers.Keep(fmt.Sprintf("history of %s in %s, ASCII %t", scenario, options.Lang, options.ASCII), func() ([]byte, error) {
		steps, err := historyOf(scenario, guide, options)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = gob.NewEncoder(&out).Encode(steps) // JSON would omit view.BriefMark.Change
		return out.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&steps)
	return steps, err
}

// historyOf compares the recordings of a scenario, each with the release before.
func historyOf(scenario string, guide *instrument.ReaderGuide, options view.ComparisonOptions) (all []historyStep, err error) {
	steps, err := history.Steps(scenario, func(c *diff.Comparison) (*view.Brief, error) {
		comparer, err := view.NewComparer(c, guide, options)
		if err != nil {
			return nil, err
		}
		return comparer.Brief(false), nil
	})
	if err != nil {
		return nil, err
	}
	for step, err := range steps {
		if err != nil {
			return nil, err
		}
		why := scenarios.WhyMissing(step.Why, scenario, step.Version).In(options.Lang)
		all = append(all, historyStep{step.Version, step.Calls, step.Changes, step.NotRecorded, why})
	}
	return all, nil
}

func (o *Options) historyDrawing(std *console.Streams) (render.DiffOptions, *instrument.ReaderGuide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	drawing, err := o.drawing(std, guide, nil)
	return render.DiffOptions{ComparisonOptions: view.ComparisonOptions{Options: drawing.Options}, Layout: drawing.Layout}, guide.ForReader(drawing.Lang), err
}

// ofFunction prints the releases and scenarios with a function on the path.
func (o *Options) ofFunction(std *console.Streams, query string) error {
	releases, err := history.Releases()
	if err != nil {
		return err
	}
	names, err := lineage.Load()
	if err != nil {
		return err
	}
	query = lineage.WithoutArguments(query)
	appearances, err := history.Of(releases, query)
	if unknown := new(trace.UnknownFunctionError); errors.As(err, &unknown) {
		if found := names.Find(lineage.Function, query); len(found) > 0 {
			return o.ofOldName(std, releases, names, query, found)
		}
		if found := names.Find(lineage.Type, query); len(found) == 1 {
			return names.Write(std.Out, lineage.Type, found[0], std.Printer)
		} else if len(found) > 1 {
			return message.UsageErrorf("%q matches %d types; use a longer part of the name:\n  %s", query, len(found), strings.Join(found[:min(len(found), 20)], "\n  "))
		}
		types := names.NearTypes(query, names.Releases[len(names.Releases)-1])
		unknown.Types, unknown.Near = true, lineage.Near(query, append(unknown.Near, types...))
		_, noScenario := scenarios.Find(query)
		return message.ToUsageError(message.Errorf("%w\nit is not a scenario either: %w", err, noScenario))
	}
	if err != nil {
		return err
	}
	if err := history.Write(std.Out, query, releases, appearances, o.ASCII, std.Printer); err != nil {
		return err
	}
	return writeLineage(std, names, appearances[len(appearances)-1].Name)
}

// writeLineage prints the history of a function in the released sources, if they have
// the function.
func writeLineage(std *console.Streams, names *lineage.Library, function string) error {
	declared, _ := funcname.SplitLiteral(function)
	if len(names.Follow(lineage.Function, declared)) == 0 {
		return nil
	}
	fmt.Fprintln(std.Out)
	return names.Write(std.Out, lineage.Function, declared, std.Printer)
}

// ofOldName prints the later history of a function that no recorded release has under
// this name.
func (o *Options) ofOldName(std *console.Streams, releases []history.Release, names *lineage.Library, query string, found []string) error {
	ends := map[string]bool{}
	for _, name := range found {
		stages := names.Follow(lineage.Function, name)
		ends[stages[len(stages)-1].Name] = true
	}
	if len(ends) > 1 {
		return message.ToUsageError(&trace.AmbiguousFunctionError{Query: query, Candidates: found})
	}
	is := slices.Collect(maps.Keys(ends))[0]
	appearances, err := history.Of(releases, is)
	if errors.As(err, new(*trace.UnknownFunctionError)) {
		fmt.Fprintln(std.Out, std.Printer.Sprintf("No program of a recorded release has this function.")+"\n")
		return names.Write(std.Out, lineage.Function, is, std.Printer)
	}
	if err == nil {
		err = history.Write(std.Out, is, releases, appearances, o.ASCII, std.Printer)
	}
	if err != nil {
		return err
	}
	return writeLineage(std, names, is)
}
