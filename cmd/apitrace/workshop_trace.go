package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

func newWorkshopTraceCommand(io *streams, o *workshopOptions) *cobra.Command {
	output := &outputOptions{}
	var which string
	command := &cobra.Command{
		Use:   "trace",
		Short: "Show the recording that the current exercise asks about",
		Long: `Show the recording that the current exercise asks about, with all views and filters of
"apitrace show". Where an exercise compares recordings, --which names another one of them.`,
		Example: `  apitrace workshop trace
  apitrace workshop trace --view full --function 'storage/....Get'
  apitrace workshop trace --which old`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			output.lang = o.lang
			if err := output.validate(); err != nil {
				return err
			}
			return o.with(io, func(l *learner, ctx context.Context) error {
				e, err := l.current()
				if err != nil {
					return err
				}
				source, err := sourceOf(e, which)
				if err != nil {
					return err
				}
				if source.K8s == "" {
					source.K8s = l.k8s
				}
				recording, err := recordings.Load(source.K8s, source.Scenario)
				if err != nil {
					return err
				}
				return output.write(ctx, io, recording)
			})(c, args)
		},
	}
	output.addViewFlags(command)
	command.Flags().StringVar(&which, "which", "", "the recording, where an exercise has several")
	return command
}

// sourceOf names a recording of an exercise.
func sourceOf(e *workshop.Exercise, which string) (workshop.Source, error) {
	if which != "" {
		source, ok := e.Also[which]
		if !ok {
			return source, usageErrorf("this exercise has no recording %q", which)
		}
		return source, nil
	}
	if e.Live() || e.Scenario == "" {
		return workshop.Source{}, usageErrorf("this exercise is about a trace of your own: \"apitrace workshop check\" makes it")
	}
	return workshop.Source{Scenario: e.Scenario}, nil
}
