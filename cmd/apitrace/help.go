package main

import (
	"embed"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session/machine"
	"github.com/kubeapitrace/apitrace/storage"
)

// helpTexts are the texts that --help prints above the flags, in the format of
// commandline.Help. Each command has a file. Its name is the path of the command, with
// hyphens for the spaces: help/workshop-next.txt. help/apitrace.txt is the file of
// the program itself. A translation has the same name in the folder of its language:
// help/zh/workshop-next.txt.
//
//go:embed help
var helpTexts embed.FS

// translateHelp translates the help of all commands into the printer's language.
func translateHelp(root *cobra.Command, p message.Printer) {
	folder, err := fs.Sub(helpTexts, "help/"+p.Lang())
	if err != nil {
		panic(err)
	}
	commandline.Translate(root, folder, p, apiserver.DefaultVersion, storage.DefaultPrefix, program.SocketEnv)
}

// newCommand makes the command that help/NAME.txt describes. It panics if the file is
// missing or invalid; TestEveryCommandHasHelp makes all commands.
func newCommand(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	content, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	h, err := commandline.ParseHelp(string(content))
	if err != nil {
		panic(message.Errorf("help/%s.txt: %w", name, err))
	}
	return &cobra.Command{
		Use: h.Use, Short: h.Short, Long: h.Long, Example: h.Examples,
		Args: args, RunE: run, SuggestionsMinimumDistance: 2,
	}
}

func newManualCommand(*console.Streams) *cobra.Command {
	return newCommand("manual", commandline.OneArgument(message.Of("the folder for the pages")), func(c *cobra.Command, args []string) error {
		return commandline.WriteManual(c.Root(), args[0], machine.Version())
	})
}
