package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/trace"
)

// showOptions say which recording to show, and how.
type showOptions struct {
	file   string
	output outputOptions
}

func newShowCommand(io *streams) *cobra.Command {
	o := &showOptions{}
	command := &cobra.Command{
		Use:   "show FILE",
		Short: "Show a saved recording",
		Long: `Show what "apitrace run --save FILE" has saved (OTLP JSON), or what "-o json" has
printed. No server is needed, and no Go toolchain.`,
		Example: `  # The layers that the request ran through
  apitrace show get-node.jsonl --view outline

  # The key steps, each with a note on what it decides
  apitrace show get-node.jsonl --notes

  # Every call of the authorization
  apitrace show get-node.jsonl --view full --layer authorization

  # What leads to etcd and takes a millisecond or more
  apitrace show get-node.jsonl --etcd --min-duration 1ms

  # The names of all functions, in order of entry
  apitrace show get-node.jsonl -o names`,
		Args: oneArgument("the path of a saved recording"),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			if err := o.output.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), io)
		},
	}
	o.output.addFlags(command)
	return command
}

func (o *showOptions) run(ctx context.Context, io *streams) error {
	recording, err := trace.Load(o.file)
	if err != nil {
		return err
	}
	return o.output.write(ctx, io, recording)
}
