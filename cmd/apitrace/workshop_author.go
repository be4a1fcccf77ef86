package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
)

func newWorkshopNewCommand(std *console.Streams) *cobra.Command {
	var kind string
	command := newCommand("workshop-new", commandline.OneArgument(message.Of("the path of the file to write, such as mine/01-basics/01-first-call.yaml")), func(_ *cobra.Command, args []string) error {
		if err := workshop.WriteNew(args[0], workshop.Kind(kind)); err != nil {
			return message.ToUsageError(err)
		}
		std.Notice("fill in %s, then: apitrace workshop verify --course %s", args[0], filepath.Dir(filepath.Dir(args[0])))
		return nil
	})
	command.Flags().StringVar(&kind, "kind", string(workshop.KindFind), "kind of question: find, order, claim, choose, value, make or change")
	_ = command.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"find", "order", "claim", "choose", "value", "make", "change"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}
