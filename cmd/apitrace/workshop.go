package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
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
		Use:   "workshop",
		Short: "Learn the code path by exercises that a trace decides",
		Long: `Learn how the real kube-apiserver works, by exercises: find the function that does
something, put steps in order, say whether a claim is true, read a trace, send a
request that takes a certain way, change the server. Answers are judged by a recorded
or a live execution.

Without a command, the exercises are listed with your progress. But for those marked
"live", they need no network, no Go toolchain and no build.`,
		Example: `  # What there is, and how far you are
  apitrace workshop

  # With what each teaches (which tells some answers), and the scenarios it asks
  apitrace workshop --details

  # Begin, or go on
  apitrace workshop next
  apitrace workshop check 'etcd3.(*store).Get'
  apitrace workshop hint`,
		SuggestionsMinimumDistance: 2,
		Args:                       knownCommand,
		RunE:                       o.with(std, func(l *learner.Learner, _ context.Context, _ []string) error { return l.List(details) }),
	}
	command.Flags().BoolVar(&details, "details", false, "list with each exercise what it teaches, and the scenarios it is about")
	flags := command.PersistentFlags()
	flags.StringVar(&o.lang, "lang", "", "language: en or zh (default: the locale's)")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&o.k8s, "k8s", apiserver.DefaultVersion, "version of Kubernetes whose recordings decide")
	flags.StringVar(&o.course, "course", "", "folder of a course of your own (default: the one that comes with apitrace)")
	command.AddCommand(
		newWorkshopNextCommand(std, o), newWorkshopStartCommand(std, o), newWorkshopJumpCommand(std, o),
		newWorkshopTraceCommand(std, o), newWorkshopCheckCommand(std, o), newWorkshopWatchCommand(std, o),
		newWorkshopHintCommand(std, o), newWorkshopSolutionCommand(std, o), newWorkshopExplainCommand(std, o),
		newWorkshopLessonCommand(std, o), newWorkshopResetCommand(std, o), newWorkshopNewCommand(std), newWorkshopVerifyCommand(std, o),
	)
	return command
}

// with makes a command's work of a learner's.
func (o *workshopOptions) with(std *streams, do func(*learner.Learner, context.Context, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		lang, err := language(o.lang)
		if err != nil {
			return err
		}
		l, err := learner.Open(c.Context(), learner.Options{
			Lang: lang, K8s: o.k8s, Course: o.course,
			Out: std.out, Columns: std.width, Notice: std.notice, Server: &learnersServer{std},
		})
		if err == nil {
			err = do(l, c.Context(), args)
		}
		if errors.As(err, new(*learner.UsageError)) {
			return &usageError{err: err}
		}
		return err
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
		Long: `Go to the next exercise that is not passed, and show its question. Exercises of which
the version of Kubernetes has no recording are left out. The current exercise is the next one
until it is passed; --skip leaves it for later.`,
		Example: `  apitrace workshop next
  apitrace workshop next --skip`,
		Args: cobra.NoArgs,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Next(ctx, skip) }),
	}
	command.Flags().BoolVar(&skip, "skip", false, "leave the current exercise for later")
	return command
}

func newWorkshopStartCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "start [EXERCISE]",
		Short: "Show the question of an exercise",
		Long: `Show the question of an exercise, by its name or its number, and make it the current one.
Without a name, show that of the current one, or begin with the first.`,
		Example: `  apitrace workshop start
  apitrace workshop start last-stop-before-etcd`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE: o.with(std, func(l *learner.Learner, ctx context.Context, args []string) error {
			return l.Start(ctx, firstOf(args))
		}),
	}
}

func newWorkshopJumpCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "jump EXERCISE",
		Short: "Go to any exercise, and go on from there",
		Long: `Go to any exercise, by its name or its number. "next" then goes on behind it; what lies
before it and is not passed comes at the end.`,
		Example: `  apitrace workshop jump 4.1
  apitrace workshop jump last-stop-before-etcd`,
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
		Long: `Show the recording that the current exercise asks about, with all views and filters of
"apitrace show". Where an exercise compares recordings, --which names another one of them.
Of a live exercise it is the trace that your last check has made.`,
		Example: `  apitrace workshop trace
  apitrace workshop trace --view full --function 'storage/....Get'
  apitrace workshop trace --which old`,
		Args: cobra.NoArgs,
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
		Long: `Judge an answer to the current exercise. Without an answer, that in the exercise's answer
file is judged ("apitrace workshop watch" says where it is).

What is asked for decides what an answer is: the name of a function, short as the tree
shows it; the letters of the steps in order; true or false; a value. If a request of
your own is asked for, it is METHOD and PATH, with --file for a body, or a saved
recording (.jsonl), or a scenario of your own (.yaml). If a change of the server is asked
for, nothing more is needed: the server is built with your edits and asked.

The exit status is 1 if the answer is not right.`,
		Example: `  apitrace workshop check 'etcd3.(*store).Get'
  apitrace workshop check C A B D
  apitrace workshop check false
  apitrace workshop check GET '/api/v1/nodes/n1?resourceVersion=0'`,
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
		Long: `Show the current exercise and where to write its answer, and judge again whenever the
answer file, your edits of the server or the server that "apitrace serve" keeps running
change. When an exercise is passed, watch goes on with the next. It ends with Ctrl-C,
or when all exercises are passed.`,
		Example: "  apitrace workshop watch",
		Args:    cobra.NoArgs,
		RunE:    o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Watch(ctx) }),
	}
}

func newWorkshopHintCommand(std *streams, o *workshopOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "hint",
		Short: "Unlock the next hint for the current exercise",
		Long: `Show the hints for the current exercise that you have unlocked, and unlock the next one.
There are three: where to look, what to look for, and nearly the answer.`,
		Example: "  apitrace workshop hint",
		Args:    cobra.NoArgs,
		RunE:    o.with(std, func(l *learner.Learner, ctx context.Context, _ []string) error { return l.Hint(ctx) }),
	}
}

func newWorkshopSolutionCommand(std *streams, o *workshopOptions) *cobra.Command {
	var anyway bool
	command := &cobra.Command{
		Use:   "solution [EXERCISE]",
		Short: "Show the solution of an exercise that is passed",
		Long: `Show the solution of an exercise that is passed: what the recording of this version of
Kubernetes says is right. With --anyway, that of one that is not passed: it then bears a
mark in the list.`,
		Example: `  apitrace workshop solution
  apitrace workshop solution --anyway`,
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
		Use:   "explain [EXERCISE]",
		Short: "Tell what there was to learn from an exercise that is passed",
		Long: `Tell what there was to learn from an exercise: what happened, why it is so, and where to
read on. The exercise must be passed, or its solution seen.`,
		Example:           "  apitrace workshop explain",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeExercise,
		RunE:              o.with(std, func(l *learner.Learner, _ context.Context, args []string) error { return l.Explain(firstOf(args)) }),
	}
}

func newWorkshopResetCommand(std *streams, o *workshopOptions) *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "reset [EXERCISE]",
		Short: "Forget what was done of an exercise, or of all",
		Long: `Forget what was done of an exercise, the current one if none is named, or of all with
--all: it is as if it had never been started. Your answer file is removed as well; edits of
the server stay ("apitrace edit --revert" takes those back).`,
		Example: `  apitrace workshop reset last-stop-before-etcd
  apitrace workshop reset --all`,
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
		Long: `Print the lesson of a chapter, by its number, or that of the current exercise's chapter: a
page to read before the exercises or after them, with trees from the recordings. "leaders"
is the page for those who lead a group. It is Markdown.`,
		Example: `  apitrace workshop lesson
  apitrace workshop lesson 5
  apitrace workshop lesson leaders`,
		Args: cobra.MaximumNArgs(1),
		RunE: o.with(std, func(l *learner.Learner, _ context.Context, args []string) error { return l.Lesson(firstOf(args)) }),
	}
}
