package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/commandline"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/redact"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/render/output"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/console"
	"github.com/kubeapitrace/apitrace/trace"
)

// Help lists commands in the order in which a user needs them, not alphabetically.
func init() { cobra.EnableCommandSorting = false }

// execute runs the command that args name; args[0] is the name of the program.
func execute(ctx context.Context, args []string, std *console.Streams) error {
	root := newRoot(displayName(args[0]), std)
	root.SetArgs(args[1:])
	command, err := root.ExecuteContextC(ctx)
	err = commandline.Error(err)
	if isWrongChoice(err) && !isExit(err) {
		err = usage.Wrong(err)
	}
	var wrong *usage.Error
	if errors.As(err, &wrong) && wrong.Command == "" {
		wrong.Command = command.CommandPath()
	}
	return err
}

// isWrongChoice reports whether the user named something that does not exist.
func isWrongChoice(err error) bool {
	return errors.As(err, new(*scenarios.UnknownError)) ||
		errors.As(err, new(*trace.UnknownFunctionError)) || errors.As(err, new(*trace.AmbiguousFunctionError))
}

// displayName is what the user types: kubectl runs "kubectl-apitrace" as "kubectl apitrace".
func displayName(program string) string {
	if strings.HasPrefix(filepath.Base(program), "kubectl-") {
		return "kubectl apitrace"
	}
	return "apitrace"
}

func newRoot(name string, std *console.Streams) *cobra.Command {
	root := newCommand("apitrace", knownCommand, showHelp)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	root.SilenceErrors, root.SilenceUsage = true, true // main prints errors, once, and without the whole usage text
	verbose := root.PersistentFlags().BoolP("verbose", "v", false, "log to standard error what is looked for, built, started, sent and fetched, without secrets, to report a problem")
	language := root.PersistentFlags().String("lang", "", "language: en or zh (default: the locale's)")
	_ = root.PersistentFlags().MarkHidden("lang") // commands that show texts list their own
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.Name() != "doctor" { // doctor reports what it sweeps
			program.SweepRunDirs()
		}
		if *verbose {
			slog.SetDefault(slog.New(redact.Handler(std.Err)))
		}
		_, err := output.Language(*language)
		return err
	}
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage.Wrong(commandline.Error(err)) })
	root.SetUsageTemplate(commandline.UsageTemplate(root.UsageTemplate(), std.Printer))
	addGroup(root, "watch", "Watch a request:",
		newRunCommand(std), newShowCommand(std), newExploreCommand(std), newWebCommand(std), newSearchCommand(std), newScenariosCommand(std), newRequestCommand(std),
		newExecCommand(std), newRecordCommand(std), newServeCommand(std), newFrontCommand(std))
	addGroup(root, "compare", "Compare:",
		newDiffCommand(std), newCompareCommand(std), newHistoryCommand(std), newAffectedCommand(std), newVersionsCommand(std))
	addGroup(root, "learn", "Learn the code:",
		newLearnCommand(std), newWorkshopCommand(std), newExplainCommand(std), newSourceCommand(std), newRoutesCommand(std), newEditCommand(std))
	addGroup(root, "editor", "Use it in your editor:", newDAPCommand(std), newMCPCommand(std))
	addGroup(root, "exchange", "Exchange recordings:", newExportCommand(std), newImportCommand(std), newSiteCommand(std))
	addGroup(root, "builds", "Builds:", newBuildCommand(std), newCacheCommand(std), newDoctorCommand(std), newBugCommand(std))
	root.AddCommand(newVersionCommand(std), newRecordLibraryCommand(std))
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = knownTopic
	}
	translateHelp(root, std.Printer)
	adapt(root, name)
	return root
}

// addGroup adds commands that the help lists together, below a title.
func addGroup(root *cobra.Command, id, format string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: format})
	for _, command := range commands {
		command.GroupID = id
	}
	root.AddCommand(commands...)
}

// adapt makes a command, and those below it, report wrong arguments as usage
// errors, and puts the program's name as it is typed into the examples.
func adapt(command *cobra.Command, name string) {
	command.Example = strings.ReplaceAll(command.Example, "  apitrace ", "  "+name+" ")
	if check := command.Args; check != nil {
		command.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usage.Wrong(commandline.Arguments(c, err))
			}
			return nil
		}
	}
	for _, child := range command.Commands() {
		adapt(child, name)
	}
}

// showHelp runs a command that only has subcommands.
func showHelp(command *cobra.Command, _ []string) error { return command.Help() }

// knownCommand refuses an argument that is not a command below this one.
func knownCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		return message.Errorf("unknown command %q for %q: did you mean %q?", args[0], command.CommandPath(), near[0])
	}
	return message.Errorf("unknown command %q for %q", args[0], command.CommandPath())
}

// knownTopic refuses "help NAME" for an unknown command.
func knownTopic(help *cobra.Command, args []string) error {
	topic, rest, err := help.Root().Find(args)
	if err != nil {
		return err
	}
	return knownCommand(topic, rest)
}

// oneArgument accepts exactly one argument; its error says what that argument is.
func oneArgument(what message.Message) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return message.Errorf("expected %s", what)
		default:
			return message.Errorf("expected %s, and nothing else: found %q as well", what, args[1:])
		}
	}
}
