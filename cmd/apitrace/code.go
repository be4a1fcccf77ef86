package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session/code"
	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// functionOptions select the release and the recordings to look a function up in, and the
// output.
type functionOptions struct {
	code  code.Choice
	shown output.Function
	edit  bool
}

func newExplainCommand(std *console.Streams) *cobra.Command {
	o := &functionOptions{}
	command := o.command("explain", std, o.shown.Explain)
	command.Flags().BoolVar(&o.shown.ASCII, "ascii", false, "use ASCII characters only")
	addLanguageFlag(command, &o.shown.Lang)
	return command
}

func newSourceCommand(std *console.Streams) *cobra.Command {
	o := &functionOptions{}
	command := o.command("source", std, o.shown.WriteSource)
	command.Flags().BoolVar(&o.shown.ASCII, "ascii", false, "mark lines with ASCII characters")
	return command
}

// command returns a command that takes the name of a function. show prints the result.
func (o *functionOptions) command(name string, std *console.Streams, show func(context.Context, *console.Streams, *code.Base, string, lineage.Kind) error) *cobra.Command {
	command := newCommand(name, commandline.OneArgument(message.Of("the name of a function, such as \"etcd3.(*store).Get\"")), func(c *cobra.Command, args []string) error {
		if err := errors.Join(o.shown.Validate(), o.code.Validate()); err != nil {
			return err
		}
		if o.edit {
			return o.openEditor(c.Context(), std, name, args[0])
		}
		return std.InPager(commandline.Pages(c, "explain", "source"), func(shown *console.Streams) error {
			found, err := o.find(c.Context(), shown, name, args[0])
			if found == nil {
				return err
			}
			o.shown.Merged = !o.code.Detailed()
			return show(c.Context(), shown, found.base, found.name, found.kind)
		})
	})
	command.ValidArgsFunction = completeFunction
	addCodeFlags(command, std, &o.code)
	flags := command.Flags()
	flags.StringVar(&o.shown.Colour, "color", "auto", "when to use colours: auto, always or never")
	flags.BoolVar(&o.edit, "edit", false, "open the source of the function in $VISUAL or $EDITOR instead")
	return command
}

// openEditor opens the source of a function in the user's editor.
func (o *functionOptions) openEditor(ctx context.Context, std *console.Streams, command, name string) error {
	found, err := o.find(ctx, std, command, name)
	if found == nil {
		return err
	}
	file, line, err := found.base.FileOf(ctx, found.name, found.kind)
	if err != nil {
		return err
	}
	return std.Edit(ctx, file, line, true)
}

// A foundFunction is a function or type by its full name, with what is known of its release.
type foundFunction struct {
	base *code.Base
	name string
	kind lineage.Kind
}

// find looks up a name for a command. It returns nil without an error if the name is of a
// feature gate and find has shown it.
func (o *functionOptions) find(ctx context.Context, std *console.Streams, command, name string) (*foundFunction, error) {
	if done, err := o.gate(std, command, name); done || err != nil {
		return nil, err
	}
	base, err := o.code.Open(std.In, std)
	if err != nil {
		return nil, err
	}
	resolved, kind, err := base.ResolveAny(ctx, name)
	if err != nil {
		return nil, err
	}
	return &foundFunction{base, resolved, kind}, nil
}

// gate looks for a feature gate with a name. If there is none, it returns false. For
// explain without --edit, it shows the feature gate and returns true. Otherwise it returns
// false if a function or type has the name, too, and an error if none has.
func (o *functionOptions) gate(std *console.Streams, command, name string) (done bool, err error) {
	g, err := output.FindGate(name)
	if err != nil || g == nil {
		return false, err
	}
	name = g.Name
	if command == "explain" && !o.edit {
		if o.code.Detailed() || !o.code.Own.IsZero() {
			return false, message.UsageErrorf("%s is a feature gate, looked up in all recordings of a release: leave --trace, --scenario and --server out", name)
		}
		return true, errors.Join(output.NoticeNamesake(std, "explain", name), output.ExplainGate(std, g, o.code.K8s))
	}
	namesake, err := output.HasNamesake(name)
	if err != nil {
		return false, err
	}
	if namesake {
		std.Notice("%s is a feature gate, too: \"apitrace explain %[1]s\"", name)
		return false, nil
	}
	return false, message.UsageErrorf("%s is a feature gate, not a function: \"apitrace explain %[1]s\" says where it is asked for, and \"apitrace source\" shows these functions", name)
}

// addCodeFlags adds the flags that select the version of Kubernetes and the recordings
// for looking up a function.
func addCodeFlags(command *cobra.Command, std *console.Streams, o *code.Choice) {
	flags := command.Flags()
	flags.StringVar(&o.K8s, "k8s", "", "version of Kubernetes (default: the version of --trace, else "+apiserver.DefaultVersion+")")
	addOwnFlags(command, &o.Own)
	flags.StringArrayVar(&o.Traces, "trace", nil, "use this saved recording; may be repeated (default: the recordings that apitrace carries)")
	flags.StringVar(&o.Scenario, "scenario", "", "use only the recording of this scenario")
	_ = command.RegisterFlagCompletionFunc("scenario", commandline.Offer(func() ([]string, error) { return scenarios.Names(std.Printer.Lang()) }))
}
