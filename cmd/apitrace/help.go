package main

import (
	"embed"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/commandline"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// helpTexts are what --help prints above the flags: a file of commandline.Help for each command, named
// after its path, with hyphens for the spaces: help/workshop-next.txt; help/apitrace.txt is the program's
// own. A translation has the same name in a folder of its language: help/zh/workshop-next.txt.
//
//go:embed help
var helpTexts embed.FS

// translateHelp puts the help of all commands into the printer's language.
func translateHelp(root *cobra.Command, p message.Printer) {
	folder, err := fs.Sub(helpTexts, "help/"+p.Lang())
	if err != nil {
		panic(err)
	}
	commandline.Translate(root, folder, p, apiserver.DefaultVersion, storage.DefaultPrefix, program.SocketEnv)
}

// newCommand makes the command that help/NAME.txt describes. It panics without a valid file, which a test
// of all commands finds.
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
