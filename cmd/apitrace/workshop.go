package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// workshopOptions are the flags that all commands of the workshop share.
type workshopOptions struct {
	lang, k8s, course string
	shown             *console.Streams // the streams of the command, or the streams of a pager
}

func newWorkshopCommand(std *console.Streams) *cobra.Command {
	o := &workshopOptions{}
	var details bool
	command := newCommand("workshop", commandline.KnownCommand, o.withLearner(std, func(l *learner.Learner, ctx context.Context, _ []string) error {
		if l.Fresh() && !details {
			return l.Learn(ctx, drawFirst(o.shown, o.lang))
		}
		return l.List(details)
	}))
	command.Flags().BoolVar(&details, "details", false, "also list what each exercise teaches, and its scenarios")
	o.addFlags(command, command.PersistentFlags())
	command.AddCommand(append(o.commands(std), o.groupCommands(std)...)...)
	return command
}

// commands returns the subcommands of "workshop".
func (o *workshopOptions) commands(std *console.Streams) []*cobra.Command {
	var skip, anyway, all, yes, html, live bool
	next := o.noArgs(std, "next", func(l *learner.Learner, ctx context.Context) error { return l.Next(ctx, skip) })
	next.Flags().BoolVar(&skip, "skip", false, "leave the current exercise for later")
	start := o.onExercise(std, "start", func(l *learner.Learner, ctx context.Context, name string) error { return l.Start(ctx, name) })
	jump := o.onExercise(std, "jump", func(l *learner.Learner, ctx context.Context, name string) error { return l.Start(ctx, name) })
	jump.Args = commandline.OneArgument(message.Of("the name of an exercise, or its number as \"apitrace workshop\" lists it"))
	watch := o.noArgs(std, "watch", func(l *learner.Learner, ctx context.Context) error { return l.Watch(ctx) })
	hint := o.noArgs(std, "hint", func(l *learner.Learner, ctx context.Context) error { return l.Hint(ctx) })
	solution := o.onExercise(std, "solution", func(l *learner.Learner, ctx context.Context, name string) error { return l.Solution(ctx, name, anyway) })
	solution.Flags().BoolVar(&anyway, "anyway", false, "show the solution even if the exercise is not passed, and mark the exercise with \"*\" in the list")
	explain := o.onExercise(std, "explain", func(l *learner.Learner, _ context.Context, name string) error { return l.Explain(name) })
	lesson := o.onExercise(std, "lesson", func(l *learner.Learner, _ context.Context, name string) error { return l.Lesson(name) })
	lesson.ValidArgsFunction = nil
	summary := o.noArgs(std, "summary", func(l *learner.Learner, ctx context.Context) error { return l.Summary(ctx, html) })
	summary.Flags().BoolVar(&html, "html", false, "print a page of HTML")
	reset := o.onExercise(std, "reset", func(l *learner.Learner, ctx context.Context, name string) error {
		switch {
		case all && name != "":
			return message.UsageErrorf("expected either an exercise or --all, found both")
		case yes && !all:
			return message.UsageErrorf("--yes has a meaning only together with --all: leave --yes out")
		case all && !yes:
			if err := std.Confirm(message.Of("This deletes your progress on all exercises."), "--yes"); err != nil {
				return err
			}
			fallthrough
		case all:
			return l.ResetAll(ctx)
		}
		return l.Reset(ctx, name)
	})
	reset.Flags().BoolVar(&all, "all", false, "remove all progress")
	reset.Flags().BoolVar(&yes, "yes", false, "with --all, do not ask for confirmation")
	verify := o.onExercise(std, "verify", func(l *learner.Learner, ctx context.Context, name string) error { return l.Verify(ctx, name, live) })
	verify.Flags().BoolVar(&live, "live", false, "also solve the live exercises, which need a server")
	return []*cobra.Command{
		next, start, jump, newWorkshopTraceCommand(std, o), newWorkshopCheckCommand(std, o), watch, hint, solution, explain, lesson,
		summary, reset, newWorkshopNewCommand(std), verify,
	}
}

// noArgs makes a subcommand without arguments.
func (o *workshopOptions) noArgs(std *console.Streams, name string, do func(*learner.Learner, context.Context) error) *cobra.Command {
	return newCommand("workshop-"+name, cobra.NoArgs, o.withLearner(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return do(l, ctx) }))
}

// onExercise makes a subcommand with an exercise as optional argument. Without the
// argument, do gets "".
func (o *workshopOptions) onExercise(std *console.Streams, name string, do func(*learner.Learner, context.Context, string) error) *cobra.Command {
	command := newCommand("workshop-"+name, cobra.MaximumNArgs(1), o.withLearner(std, func(l *learner.Learner, ctx context.Context, args []string) error {
		return do(l, ctx, strings.Join(args, ""))
	}))
	command.ValidArgsFunction = commandline.OfferFirst(func() ([]string, error) { return workshop.ExerciseNames(std.Printer.Lang()) }, false)
	return command
}

// addFlags adds the flags that all commands of the workshop share.
func (o *workshopOptions) addFlags(command *cobra.Command, flags *pflag.FlagSet) {
	flags.StringVar(&o.lang, "lang", "", "language: en or zh (default: the locale's)")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(output.Languages, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&o.k8s, "k8s", apiserver.DefaultVersion, "judge answers by the recordings of this version of Kubernetes")
	flags.StringVar(&o.course, "course", "", "folder of a course of your own (default: the course that comes with apitrace)")
}

// withLearner returns the run function of a command. The function opens the course and
// the learner's progress, and calls do.
func (o *workshopOptions) withLearner(std *console.Streams, do func(*learner.Learner, context.Context, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		lang, err := output.Language(o.lang)
		if err != nil {
			return err
		}
		colour, err := render.UseColour("auto", std.Width > 0, os.Getenv)
		if err != nil {
			return err
		}
		return std.InPager(commandline.Pages(c, "learn", "workshop", "lesson", "explain", "summary"), func(shown *console.Streams) error {
			o.shown = shown
			l, err := learner.Open(c.Context(), learner.Options{
				Lang: lang, LangChosen: o.lang != "", K8s: o.k8s, Course: o.course,
				Out: shown.Out, Columns: std.Columns(), Colour: colour, Reporter: std,
			})
			if err != nil {
				return err
			}
			return do(l, c.Context(), args)
		})
	}
}

func newWorkshopTraceCommand(std *console.Streams, o *workshopOptions) *cobra.Command {
	shown := &output.Options{}
	var which string
	var only []int
	command := newCommand("workshop-trace", cobra.NoArgs, func(c *cobra.Command, args []string) error {
		shown.Lang = o.lang
		if err := errors.Join(shown.Validate(), validateOnly(only)); err != nil {
			return err
		}
		return o.withLearner(std, func(l *learner.Learner, ctx context.Context, _ []string) error {
			recording, spoils, err := l.Recording(which)
			if err != nil {
				return err
			}
			chosen := *recording
			if chosen.Requests, err = session.Choose(recording.Requests, only); err != nil {
				return err
			}
			if len(only) > 0 {
				shown.ShowTrees()
			}
			shown.HideError = spoils
			return shown.Write(ctx, std, &chosen)
		})(c, args)
	})
	addViewFlags(command, shown)
	addOnlyFlag(command, &only)
	command.Flags().StringVar(&which, "which", "", "the recording to show, if the exercise has several")
	return command
}

func newWorkshopCheckCommand(std *console.Streams, o *workshopOptions) *cobra.Command {
	request := &typedFlags{}
	command := newCommand("workshop-check", nil, o.withLearner(std, func(l *learner.Learner, ctx context.Context, args []string) error {
		typed, err := request.read(std)
		if err != nil {
			return err
		}
		return l.Check(ctx, args, typed)
	}))
	flags := command.Flags()
	flags.StringVarP(&request.body, "file", "f", "", "file with the body of your request, YAML or JSON; \"-\" for standard input")
	flags.StringVar(&request.as, "as", scenarios.Learner, "who sends your request: learner, admin, anonymous or stranger")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(scenarios.Askers(), cobra.ShellCompDirectiveNoFileComp))
	flags.StringArrayVarP(&request.headers, "header", "H", nil, `header of your request, "Name: value" (repeat for more)`)
	return command
}
