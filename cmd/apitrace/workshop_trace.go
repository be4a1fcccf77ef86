package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

func newWorkshopTraceCommand(std *streams, o *workshopOptions) *cobra.Command {
	output := &outputOptions{}
	var which string
	command := &cobra.Command{
		Use:   "trace",
		Short: "Show the recording that the current exercise asks about",
		Long: `Show the recording that the current exercise asks about, with all views and filters of
"apitrace show". Where an exercise compares recordings, --which names another one of them.
Of a live exercise it is the trace that your last check has made.`,
		Example: `  apitrace workshop trace
  apitrace workshop trace --view full --function 'storage/....Get'
  apitrace workshop trace --which old`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			output.lang = o.lang
			if err := output.validate(); err != nil {
				return err
			}
			return o.with(std, func(l *learner, ctx context.Context) error {
				e, err := l.current()
				if err != nil {
					return err
				}
				recording, err := l.asked(e, which)
				if err != nil {
					return err
				}
				return output.write(ctx, std, recording)
			})(c, args)
		},
	}
	output.addViewFlags(command)
	command.Flags().StringVar(&which, "which", "", "the recording, where an exercise has several")
	return command
}

// asked is the recording that an exercise asks about: of a live one, what it was judged by last.
func (l *learner) asked(e *workshop.Exercise, which string) (*trace.Recording, error) {
	source := workshop.Source{Scenario: e.Scenario}
	if which != "" {
		var ok bool
		if source, ok = e.Also[which]; !ok {
			return nil, usageErrorf("this exercise has no recording %q%s", which, others(e))
		}
	} else if e.Live() {
		recording, err := l.std.load(l.traceFile(e))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usageErrorf("this exercise is about a trace of your own: \"apitrace workshop check\" makes it")
		}
		return recording, err
	}
	return recordings.Load(cmp.Or(source.K8s, l.k8s), source.Scenario)
}

// others names the further recordings of an exercise.
func others(e *workshop.Exercise) string {
	if len(e.Also) == 0 {
		return ": it asks about one alone"
	}
	return fmt.Sprintf(": expected one of %q", slices.Sorted(maps.Keys(e.Also)))
}
