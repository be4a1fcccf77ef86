package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// workshopOptions are those of all the workshop's commands.
type workshopOptions struct {
	lang   string
	k8s    string
	course string
}

func newWorkshopCommand(std *streams) *cobra.Command {
	o := &workshopOptions{}
	var details bool
	command := &cobra.Command{
		Use:                        "workshop",
		Short:                      "Learn the code path by exercises that a trace decides",
		SuggestionsMinimumDistance: 2,
		Args:                       knownCommand,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error {
			if l.Fresh() && !details {
				return l.Learn(ctx, drawFirst(std, o.lang))
			}
			return l.List(details)
		}),
	}
	command.Flags().BoolVar(&details, "details", false, "list with each exercise what it teaches, and the scenarios it is about")
	o.addFlags(command, command.PersistentFlags())
	command.AddCommand(
		newWorkshopNextCommand(std, o), newWorkshopStartCommand(std, o), newWorkshopJumpCommand(std, o),
		newWorkshopTraceCommand(std, o), newWorkshopCheckCommand(std, o), newWorkshopWatchCommand(std, o),
		newWorkshopHintCommand(std, o), newWorkshopSolutionCommand(std, o), newWorkshopExplainCommand(std, o),
		newWorkshopLessonCommand(std, o), newWorkshopSummaryCommand(std, o), newWorkshopResetCommand(std, o), newWorkshopNewCommand(std), newWorkshopVerifyCommand(std, o),
	)
	return command
}

// addFlags adds what all commands of the workshop have to the flags of a command.
func (o *workshopOptions) addFlags(command *cobra.Command, flags *pflag.FlagSet) {
	flags.StringVar(&o.lang, "lang", "", "language: en or zh (default: the locale's)")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&o.k8s, "k8s", apiserver.DefaultVersion, "version of Kubernetes whose recordings decide")
	flags.StringVar(&o.course, "course", "", "folder of a course of your own (default: the one that comes with apitrace)")
}

// with makes a command's work of a learner's.
func (o *workshopOptions) with(std *streams, do func(*learner.Learner, context.Context, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		lang, err := language(o.lang)
		if err != nil {
			return err
		}
		colour, err := render.UseColour("auto", std.width > 0, os.Getenv)
		if err != nil {
			return err
		}
		l, err := learner.Open(c.Context(), learner.Options{
			Lang: lang, K8s: o.k8s, Course: o.course,
			Out: std.out, Columns: std.columns(), Colour: colour, Reporter: std,
		})
		if err != nil {
			return err
		}
		return do(l, c.Context(), args)
	}
}

// firstOf is the argument of a command that may be left out, "" if it is.
func firstOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// completeExercise offers the names of the exercises.
func completeExercise(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	course, err := workshop.Open("")
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range course.Exercises() {
		names = append(names, e.Name+"\t"+e.Title.En)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func newWorkshopNextCommand(std *streams, o *workshopOptions) *cobra.Command {
	var skip bool
	command := &cobra.Command{
		Use:   "next",
		Short: "Go to the next exercise that is not passed",
		Args:  cobra.NoArgs,
		RunE:  o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Next(ctx, skip) }),
	}
	command.Flags().BoolVar(&skip, "skip", false, "leave the current exercise for later")
	return command
}

func newWorkshopStartCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:               "start [EXERCISE]",
		Short:             "Show the question of an exercise",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			return l.Start(ctx, firstOf(args))
		}),
	}
}

func newWorkshopJumpCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:               "jump EXERCISE",
		Short:             "Go to any exercise, and go on from there",
		Args:              oneArgument("the name of an exercise, or its number as \"apitrace workshop\" lists it"),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			return l.Start(ctx, args[0])
		}),
	}
}

func newWorkshopTraceCommand(std *streams, o *workshopOptions) *cobra.Command {
	output := &outputOptions{}
	var which string
	command := &cobra.Command{
		Use:   "trace",
		Short: "Show the recording that the current exercise asks about",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			output.lang = o.lang
			if err := output.validate(); err != nil {
				return err
			}
			return o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error {
				recording, err := l.Recording(which)
				if err != nil {
					return err
				}
				return output.write(ctx, std, recording)
			})(c, args)
		},
	}
	output.addViewFlags(command)
	command.Flags().StringVar(&which, "which", "", "the recording, where an exercise has several")
	return command
}

func newWorkshopCheckCommand(std *streams, o *workshopOptions) *cobra.Command {
	request := &typedFlags{}
	command := &cobra.Command{
		Use:   "check [ANSWER]...",
		Short: "Judge an answer to the current exercise",
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			typed, err := request.read(std)
			if err != nil {
				return err
			}
			return l.Check(ctx, args, typed)
		}),
	}
	flags := command.Flags()
	flags.StringVarP(&request.body, "file", "f", "", "file with the body of your request, YAML or JSON; \"-\" for standard input")
	flags.StringVar(&request.as, "as", scenarios.Learner, "who sends your request: learner, admin, anonymous or stranger")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(scenarios.Askers(), cobra.ShellCompDirectiveNoFileComp))
	flags.StringArrayVarP(&request.headers, "header", "H", nil, `header of your request, "Name: value" (repeat for more)`)
	return command
}

func newWorkshopWatchCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Judge again whenever your answer changes",
		Args:  cobra.NoArgs,
		RunE:  o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Watch(ctx) }),
	}
}

func newWorkshopHintCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "hint",
		Short: "Unlock the next hint for the current exercise",
		Args:  cobra.NoArgs,
		RunE:  o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Hint(ctx) }),
	}
}

func newWorkshopSolutionCommand(std *streams, o *workshopOptions) *cobra.Command {
	var anyway bool
	command := &cobra.Command{
		Use:               "solution [EXERCISE]",
		Short:             "Show the solution of an exercise that is passed",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			return l.Solution(ctx, firstOf(args), anyway)
		}),
	}
	command.Flags().BoolVar(&anyway, "anyway", false, "show it although the exercise is not passed, and mark the exercise")
	return command
}

func newWorkshopExplainCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:               "explain [EXERCISE]",
		Short:             "Tell what there was to learn from an exercise that is passed",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE:              o.with(std, func(l *learner.Learner, _ context.Context, args []string) error { return l.Explain(firstOf(args)) }),
	}
}

func newWorkshopResetCommand(std *streams, o *workshopOptions) *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:               "reset [EXERCISE]",
		Short:             "Forget what was done of an exercise, or of all",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			if all && len(args) > 0 {
				return usageErrorf("--all forgets everything: name an exercise, or give --all")
			}
			if all {
				return l.ResetAll(ctx)
			}
			return l.Reset(ctx, firstOf(args))
		}),
	}
	command.Flags().BoolVar(&all, "all", false, "forget everything")
	return command
}

func newWorkshopLessonCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "lesson [CHAPTER]",
		Short: "Print the lesson of a chapter, or the page for leaders",
		Args:  cobra.MaximumNArgs(1),
		RunE:  o.with(std, func(l *learner.Learner, _ context.Context, args []string) error { return l.Lesson(firstOf(args)) }),
	}
}

func newWorkshopSummaryCommand(std *streams, o *workshopOptions) *cobra.Command {
	var html bool
	command := &cobra.Command{
		Use:   "summary",
		Short: "Print what you have learned, as a page to keep",
		Args:  cobra.NoArgs,
		RunE:  o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Summary(ctx, html) }),
	}
	command.Flags().BoolVar(&html, "html", false, "print a page of HTML")
	return command
}
