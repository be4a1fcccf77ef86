package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/history"
)

// historyOptions say how a history is shown.
type historyOptions struct {
	view outputOptions
}

func newHistoryCommand(std *console.Streams) *cobra.Command {
	o := &historyOptions{}
	command := newCommand("history", oneArgument("a scenario (see \"apitrace scenarios\") or the name of a function"), func(_ *cobra.Command, args []string) error {
		if err := o.view.validateView(); err != nil {
			return err
		}
		if _, err := scenarios.Find(args[0]); err == nil {
			return o.ofScenario(std, args[0])
		}
		return o.ofFunction(std, args[0])
	})
	command.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := completeScenario(c, args, typed)
		functions, directive := completeFunction(c, args, typed)
		return append(names, functions...), directive
	}
	flags := command.Flags()
	flags.IntVar(&o.view.width, "width", 0, "write this many columns wide (0: as wide as the terminal, else 80)")
	flags.StringVar(&o.view.colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.view.ascii, "ascii", false, "write with ASCII characters alone")
	addLanguageFlag(command, &o.view.lang)
	o.view.view = "path"
	return command
}

// ofScenario tells what each release changed.
func (o *historyOptions) ofScenario(std *console.Streams, scenario string) error {
	steps, err := history.Steps(scenario)
	if err != nil {
		return err
	}
	options, spoken, err := o.drawing(std)
	if err != nil {
		return err
	}
	var lines []render.HistoryStep
	for step, err := range steps {
		if err != nil {
			return err
		}
		line := render.HistoryStep{Version: step.Version, Calls: step.Calls, NotRecorded: step.NotRecorded, Why: step.Why}
		if step.Changes != nil {
			if line.Changes, err = render.Brief(step.Changes, spoken, options); err != nil {
				return err
			}
		}
		lines = append(lines, line)
	}
	return render.WriteHistory(std.Out, lines, spoken, options)
}

func (o *historyOptions) drawing(std *console.Streams) (render.DiffOptions, *spoken.Guide, error) {
	guide, err := instrument.Load()
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	lang, err := language(o.view.lang)
	if err != nil {
		return render.DiffOptions{}, nil, err
	}
	drawing, err := o.view.drawing(std, guide, nil)
	return render.DiffOptions{Options: drawing, Lang: lang}, spoken.New(guide, lang), err
}

// ofFunction tells in which releases and scenarios a function is on the path.
func (o *historyOptions) ofFunction(std *console.Streams, query string) error {
	releases, err := history.Releases()
	if err != nil {
		return err
	}
	appearances, err := history.Of(releases, query)
	if errors.As(err, new(*trace.UnknownFunctionError)) {
		_, noScenario := scenarios.Find(query)
		return usage.Wrong(fmt.Errorf("%w\nit is no scenario either: %w", err, noScenario))
	}
	if err != nil {
		return err
	}
	return history.Write(std.Out, releases, appearances, o.view.ascii)
}
