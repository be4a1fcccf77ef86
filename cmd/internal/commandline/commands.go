package commandline

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// DisplayName returns the name of a program as the user types it. For "kubectl NAME",
// kubectl runs the program kubectl-NAME.
func DisplayName(program, name string) string {
	if strings.HasPrefix(filepath.Base(program), "kubectl-") {
		return "kubectl " + name
	}
	return name
}

// AddGroup adds commands. The help lists them below a title. format is the message of the
// title.
func AddGroup(root *cobra.Command, id, format string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: format})
	for _, command := range commands {
		command.GroupID = id
	}
	root.AddCommand(commands...)
}

// Adapt makes a command and all commands below report wrong arguments as usage
// errors. In their examples, it replaces name, the program's name, by typed, the name
// as the user types it.
func Adapt(command *cobra.Command, name, typed string) {
	command.Example = strings.ReplaceAll(command.Example, "  "+name+" ", "  "+typed+" ")
	if check := command.Args; check != nil {
		command.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return message.ToUsageError(argumentError(c, err))
			}
			return nil
		}
	}
	for _, child := range command.Commands() {
		Adapt(child, name, typed)
	}
}

// ShowHelp is the run function of a command that only has subcommands.
func ShowHelp(command *cobra.Command, _ []string) error { return command.Help() }

// KnownCommand returns an error for an argument that is not a subcommand.
func KnownCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		return message.Errorf("unknown command %q for %q: did you mean %q?", args[0], command.CommandPath(), near[0])
	}
	return message.Errorf("unknown command %q for %q", args[0], command.CommandPath())
}

// KnownTopic returns an error for "help NAME" if there is no command NAME.
func KnownTopic(help *cobra.Command, args []string) error {
	topic, rest, err := help.Root().Find(args)
	if err != nil {
		return err
	}
	return KnownCommand(topic, rest)
}

// OneArgument accepts exactly one argument. what describes it in errors.
func OneArgument(what message.Message) cobra.PositionalArgs {
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

// TakeAfterDash changes how a command treats the arguments after "--". If takes returns
// true, the command stores them in flags: they are the flags of another program.
// Otherwise they are ordinary arguments, but the first of them must not begin with "--":
// the command fails with the message refusal, which gets this argument.
func TakeAfterDash(command *cobra.Command, flags *[]string, takes func() bool, refusal message.Message) {
	check, run := command.Args, command.RunE
	split := func(c *cobra.Command, args []string) (before, after []string) {
		if dash := c.ArgsLenAtDash(); dash >= 0 {
			return args[:dash], args[dash:]
		}
		return args, nil
	}
	command.Args = func(c *cobra.Command, args []string) error {
		before, after := split(c, args)
		if takes() {
			return check(c, before)
		}
		if len(after) > 0 && strings.HasPrefix(after[0], "--") {
			return message.Errorf("%s", refusal.With(after[0]))
		}
		return check(c, args)
	}
	command.RunE = func(c *cobra.Command, args []string) error {
		if takes() {
			args, *flags = split(c, args)
		}
		return run(c, args)
	}
}
