package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/session/machine"
)

// doctorOptions say for which version the machine is examined.
type doctorOptions struct {
	server serverFlags
}

func newDoctorCommand(std *console.Streams) *cobra.Command {
	o := &doctorOptions{}
	command := newCommand("doctor", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if err := o.server.validate(); err != nil {
			return err
		}
		return o.run(c.Context(), std)
	})
	o.server.addVersion(command)
	return command
}

func (o *doctorOptions) run(ctx context.Context, std *console.Streams) error {
	findings, err := machine.Examine(ctx, o.server.Version)
	if err != nil {
		return err
	}
	wrong := 0
	for _, f := range findings {
		if f.Bad != nil {
			wrong++
		}
		fmt.Fprintln(std.Out, f)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d checks failed", wrong, len(findings))
	}
	return nil
}
