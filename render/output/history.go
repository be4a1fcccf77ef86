package output

import (
	"errors"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/history"
)

// WriteHistory prints the changes of each release on the path of a scenario, or the releases and scenarios that
// have a function on the path.
func (o *Options) WriteHistory(std *console.Streams, what string) error {
	if _, err := scenarios.Find(what); err == nil {
		return o.ofScenario(std, what)
	}
	return o.ofFunction(std, what)
}

// ofScenario prints the changes of each release.
func (o *Options) ofScenario(std *console.Streams, scenario string) error {
	steps, err := history.Steps(scenario)
	if err != nil {
		return err
	}
	options, spoken, err := o.historyDrawing(std)
	if err != nil {
		return err
	}
	var lines []render.HistoryStep
	for step, err := range steps {
		if err != nil {
			return err
		}
		line := render.HistoryStep{Version: step.Version, Calls: step.Calls, NotRecorded: step.NotRecorded, Why: step.Why.In(options.Lang)}
		if step.Changes != nil {
			if line.Changes, err = render.Brief(step.Changes, spoken, options); err != nil {
				return err
			}
		}
		lines = append(lines, line)
	}
	return render.WriteHistory(std.Out, lines, spoken, options)
}

func (o *Options) historyDrawing(std *console.Streams) (render.DiffOptions, *spoken.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	drawing, err := o.drawing(std, guide, nil)
	return render.DiffOptions{Options: drawing}, spoken.New(guide, drawing.Lang), err
}

// ofFunction prints the releases and scenarios that have a function on the path.
func (o *Options) ofFunction(std *console.Streams, query string) error {
	releases, err := history.Releases()
	if err != nil {
		return err
	}
	appearances, err := history.Of(releases, query)
	if errors.As(err, new(*trace.UnknownFunctionError)) {
		_, noScenario := scenarios.Find(query)
		return usage.Wrong(message.Errorf("%w\nit is not a scenario either: %w", err, noScenario))
	}
	if err != nil {
		return err
	}
	return history.Write(std.Out, releases, appearances, o.ASCII, std.Printer)
}
