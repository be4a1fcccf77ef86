package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/workshop"
)

// workshopOptions are those of all the workshop's commands.
type workshopOptions struct {
	lang    string
	k8s     string
	course  string
	details bool
}

func newWorkshopCommand(std *streams) *cobra.Command {
	o := &workshopOptions{}
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
		RunE:                       o.with(std, (*learner).list),
	}
	command.Flags().BoolVar(&o.details, "details", false, "list with each exercise what it teaches, and the scenarios it is about")
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

// A learner is somebody at work on a course.
type learner struct {
	std      *streams
	lang     string
	k8s      string
	dir      string // where state and answers are
	course   *workshop.Course
	state    *workshop.State
	progress *workshop.Progress
	judge    workshop.Judge
	args     []string
	details  bool // see workshopOptions
}

// with makes a command's work of a learner's.
func (o *workshopOptions) with(std *streams, do func(*learner, context.Context) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		l, err := o.open(c.Context(), std)
		if err != nil {
			return err
		}
		l.args = args
		return do(l, c.Context())
	}
}

func (o *workshopOptions) open(ctx context.Context, std *streams) (*learner, error) {
	lang, err := language(o.lang)
	if err != nil {
		return nil, err
	}
	l := &learner{std: std, lang: lang, details: o.details}
	if l.k8s, err = recordings.Resolve(o.k8s); err != nil {
		return nil, &usageError{err: err}
	}
	if l.course, err = workshop.Open(o.course); err != nil {
		return nil, err
	}
	if l.judge, err = newJudge(l.k8s); err != nil {
		return nil, err
	}
	if l.dir, err = program.StateDir(); err != nil {
		return nil, err
	}
	l.state = &workshop.State{
		Path: filepath.Join(l.dir, "workshop.jsonl"),
		Warn: func(t workshop.Text) { std.notice("%s", t.In(lang)) },
	}
	return l, l.load(ctx)
}

func newJudge(k8s string) (workshop.Judge, error) {
	guide, err := instrument.Load()
	if err != nil {
		return workshop.Judge{}, err
	}
	return workshop.Judge{Recordings: recordings.Load, Layer: guide.Lookup().Layer, K8s: k8s}, nil
}

// load adds up what the state file has.
func (l *learner) load(ctx context.Context) error {
	events, err := l.state.Read(ctx)
	if err != nil {
		return err
	}
	l.progress = workshop.NewProgress(events)
	return nil
}

// record writes down what was done of an exercise; nil stands for all.
func (l *learner) record(ctx context.Context, e *workshop.Exercise, did workshop.Deed, answer string) error {
	event := workshop.Event{Did: did, Answer: answer}
	if e != nil {
		event.Exercise = e.Name
	}
	if did == workshop.Passed || did == workshop.Tried {
		event.K8s = l.k8s
	}
	if err := l.state.Add(ctx, event); err != nil {
		return err
	}
	return l.load(ctx)
}

// in returns the text in the learner's language.
func (l *learner) in(en, zh string) string { return workshop.Text{En: en, Zh: zh}.In(l.lang) }

// say prints a line.
func (l *learner) say(en, zh string, args ...any) {
	fmt.Fprintf(l.std.out, l.in(en, zh)+"\n", args...)
}

// current returns the exercise that was started last.
func (l *learner) current() (*workshop.Exercise, error) {
	for _, e := range l.course.Exercises() {
		if e.Name == l.progress.Current {
			return e, nil
		}
	}
	return nil, errors.New(l.in("no exercise is started: begin with \"apitrace workshop next\"", "还没有开始任何练习：请先运行 \"apitrace workshop next\""))
}

// named returns the exercise that the argument names, or the current one.
func (l *learner) named() (*workshop.Exercise, error) {
	if len(l.args) == 0 {
		return l.current()
	}
	e, err := l.course.Find(l.args[0])
	if err != nil {
		return nil, &usageError{err: err}
	}
	return e, nil
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

// list prints the chapters with their exercises and how far the learner is.
func (l *learner) list(context.Context) error {
	var passed, minutes int
	all := l.course.Exercises()
	for i, chapter := range l.course.Chapters {
		if i > 0 {
			fmt.Fprintln(l.std.out)
		}
		done, left := l.listChapter(&chapter)
		passed, minutes = passed+done, minutes+left
	}
	fmt.Fprintln(l.std.out)
	l.say("%d of %d passed, about %d minutes to go. ✓ passed, ✓* after seeing the solution, → the current one.",
		"已完成 %d/%d，大约还需 %d 分钟。✓ 已通过，✓* 看过答案后通过，→ 当前练习。", passed, len(all), minutes)
	if passed < len(all) {
		l.say("Go on with \"apitrace workshop next\".", "用 \"apitrace workshop next\" 继续。")
	}
	return nil
}

// listChapter prints a chapter, and returns how many of its exercises are passed, and the minutes of the others.
func (l *learner) listChapter(chapter *workshop.Chapter) (passed, minutes int) {
	for _, e := range chapter.Exercises {
		if l.progress.Of(e).Passed {
			passed++
		} else {
			minutes += e.Minutes
		}
	}
	fmt.Fprintf(l.std.out, "%s  %s (%d/%d, %s)\n", chapter.Number(), chapter.Title.In(l.lang), passed, len(chapter.Exercises), l.minutes(minutes))
	if l.details {
		l.detail(chapter.Teaches.In(l.lang))
	}
	for _, e := range chapter.Exercises {
		l.listOne(e)
	}
	return passed, minutes
}

func (l *learner) minutes(n int) string { return fmt.Sprintf(l.in("%d min", "%d 分钟"), n) }

func (l *learner) listOne(e *workshop.Exercise) {
	done := l.progress.Of(e)
	mark := "  "
	switch {
	case done.Passed && done.Revealed:
		mark = "✓*"
	case done.Passed:
		mark = "✓ "
	case e.Name == l.progress.Current:
		mark = "→ "
	}
	live := ""
	if e.Live() {
		live = l.in(", live", "，需要服务器")
	}
	fmt.Fprintf(l.std.out, "  %s %-4s %s (%s, %s%s)\n        %s\n", mark, l.course.Number(e), e.Title.In(l.lang),
		l.kindName(e.Kind()), l.minutes(e.Minutes), live, e.Name)
	if l.details {
		l.detail(e.Teaches.In(l.lang))
		if names := e.Scenarios(); len(names) > 0 {
			l.detail(l.in("scenarios: ", "场景：") + strings.Join(names, ", "))
		}
	}
}

// detail prints a text below an entry of the list.
func (l *learner) detail(text string) {
	const indent = "        "
	fmt.Fprintln(l.std.out, indent+strings.ReplaceAll(wrapped(text, l.width()-len(indent)), "\n", "\n"+indent))
}

func (l *learner) kindName(k workshop.Kind) string {
	names := map[workshop.Kind]workshop.Text{
		workshop.KindFind:   {En: "find", Zh: "找函数"},
		workshop.KindOrder:  {En: "predict", Zh: "排顺序"},
		workshop.KindClaim:  {En: "true or false", Zh: "判断对错"},
		workshop.KindChoose: {En: "choose", Zh: "选择"},
		workshop.KindValue:  {En: "read the trace", Zh: "读追踪"},
		workshop.KindMake:   {En: "make it happen", Zh: "让它发生"},
		workshop.KindChange: {En: "change the server", Zh: "改服务器"},
	}
	return names[k].In(l.lang)
}

// versions lists the recorded versions, oldest first.
func versions() ([]string, error) {
	infos, err := recordings.Versions()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, info := range infos {
		all = append(all, info.K8sVersion)
	}
	return slices.Clip(all), nil
}
