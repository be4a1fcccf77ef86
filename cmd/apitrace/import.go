package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// importOptions select the file to read, and the file to write.
type importOptions struct {
	file string
	save string
}

func newImportCommand(std *console.Streams) *cobra.Command {
	o := &importOptions{}
	command := newCommand("import", commandline.OneArgument(message.Of("the path of a file of OTLP JSON")), func(c *cobra.Command, args []string) error {
		o.file = args[0]
		return o.run(c.Context(), std)
	})
	command.Flags().StringVar(&o.save, "save", "", "save the recording to this file, for \"apitrace show\"")
	return command
}

func (o *importOptions) run(ctx context.Context, std *console.Streams) error {
	recording, err := trace.Import(o.file)
	if err != nil {
		return err
	}
	for _, r := range recording.Requests {
		for _, missing := range r.Lacks() {
			std.Notice("trace %s: %s", r.TraceID, missing)
		}
	}
	if o.save == "" {
		return trace.WriteOTLP(ctx, std.Out, recording)
	}
	if err := trace.Save(ctx, o.save, recording); err != nil {
		return err
	}
	std.Notice("saved to %s", o.save)
	return nil
}
