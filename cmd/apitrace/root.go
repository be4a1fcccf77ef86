package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/redact"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/checkout"
	"github.com/kubeapitrace/apitrace/trace"
)

// The help lists commands in the order in which they are added, not alphabetically.
func init() { cobra.EnableCommandSorting = false }

// execute runs the command in args. args[0] is the program's name.
func execute(ctx context.Context, args []string, std *console.Streams) error {
	root := newRoot(commandline.DisplayName(args[0], "apitrace"), std)
	root.SetArgs(args[1:])
	command, err := root.ExecuteContextC(ctx)
	err = commandline.Error(err)
	if isWrongChoice(err) && !isExit(err) {
		err = message.ToUsageError(err)
	}
	var wrong *message.UsageError
	if errors.As(err, &wrong) && wrong.Command == "" {
		wrong.Command = command.CommandPath()
	}
	return err
}

// isWrongChoice reports whether the user gave the name of something that does not exist,
// or an ambiguous name.
func isWrongChoice(err error) bool {
	return errors.As(err, new(*scenarios.UnknownError)) ||
		errors.As(err, new(*trace.UnknownFunctionError)) || errors.As(err, new(*trace.AmbiguousFunctionError))
}

func newRoot(name string, std *console.Streams) *cobra.Command {
	root := newCommand("apitrace", commandline.KnownCommand, commandline.ShowHelp)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	root.SilenceErrors, root.SilenceUsage = true, true // main prints the error, once, without the usage
	verbose := root.PersistentFlags().BoolP("verbose", "v", false, "log lookups, builds, starts, requests and fetches to standard error, without secrets; use it to report a problem")
	language := root.PersistentFlags().String("lang", "", "language: en or zh (default: the locale's)")
	root.PersistentFlags().Bool("no-pager", false, "do not show long output in a pager ($PAGER, else less)")
	// Commands that print texts have their own flags with these names.
	_ = errors.Join(root.PersistentFlags().MarkHidden("lang"), root.PersistentFlags().MarkHidden("no-pager"))
	root.Flags().Bool("version", false, "print the version of apitrace")
	root.Version = "set" // with a version, cobra handles --version
	root.SetVersionTemplate(versionText(std))
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.Name() != "doctor" { // doctor calls SweepRunDirs itself and reports the result
			program.SweepRunDirs()
		}
		if *verbose {
			slog.SetDefault(slog.New(redact.Handler(std.Err)))
		}
		if _, err := output.Language(*language); err != nil {
			return err
		}
		if stop := c.Flags().Lookup("stop"); stop != nil && stop.Changed {
			return nil // --stop looks for the servers of a checkout and needs no source
		}
		if k8s := c.Flags().Lookup("k8s"); k8s != nil && k8s.Changed && k8s.Value.String() == "" {
			return message.UsageErrorf("--k8s is empty: expected a version such as %q, or leave the flag out for %[1]s", apiserver.DefaultVersion)
		}
		return checkout.TakeFlag(c.Context(), c.Flags().Lookup("k8s"), std)
	}
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return message.ToUsageError(commandline.Error(err)) })
	root.SetUsageTemplate(commandline.UsageTemplate(root.UsageTemplate(), std.Printer))
	commandline.AddGroup(root, "watch", "Watch a request:",
		newRunCommand(std), newWatchCommand(std), newShowCommand(std), newExploreCommand(std), newWebCommand(std), newSearchCommand(std), newScenariosCommand(std), newRequestCommand(std),
		newExecCommand(std), newRecordCommand(std), newServeCommand(std), newFrontCommand(std))
	commandline.AddGroup(root, "compare", "Compare:",
		newDiffCommand(std), newCompareCommand(std), newHistoryCommand(std), newAffectedCommand(std), newVersionsCommand(std))
	commandline.AddGroup(root, "learn", "Learn the code:",
		newLearnCommand(std), newWorkshopCommand(std), newExplainCommand(std), newSourceCommand(std), newRoutesCommand(std), newArticleCommand(std), newEditCommand(std))
	commandline.AddGroup(root, "editor", "Use it in your editor:", newDAPCommand(std), newMCPCommand(std))
	commandline.AddGroup(root, "exchange", "Exchange recordings:", newExportCommand(std), newImportCommand(std), newSiteCommand(std))
	commandline.AddGroup(root, "builds", "Builds:", newBuildCommand(std), newCacheCommand(std), newDoctorCommand(std), newBugCommand(std))
	root.AddCommand(newVersionCommand(std), newManualCommand(std))
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = commandline.KnownTopic
	}
	offerReleases(root)
	translateHelp(root, std.Printer)
	commandline.Adapt(root, "apitrace", name)
	return root
}
