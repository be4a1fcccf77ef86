package commandline

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// The errors are cobra's and pflag's own, so that another version of them which words one otherwise is noticed.
func TestErrorsOfCobraInBothLanguages(t *testing.T) {
	for _, test := range []struct {
		args    []string
		check   cobra.PositionalArgs
		en, zh  string
		changed bool // the English is not what pflag says
	}{
		{args: []string{"a"}, check: cobra.ExactArgs(2), en: "accepts 2 arg(s), received 1", zh: "应有 2 个参数，实际有 1 个"},
		{args: []string{"a"}, check: cobra.RangeArgs(2, 3), en: "accepts between 2 and 3 arg(s), received 1", zh: "应有 2 到 3 个参数，实际有 1 个"},
		{args: []string{"a", "b"}, check: cobra.MaximumNArgs(1), en: "accepts at most 1 arg(s), received 2", zh: "最多 1 个参数，实际有 2 个"},
		{check: cobra.MinimumNArgs(1), en: "requires at least 1 arg(s), only received 0", zh: "至少需要 1 个参数，实际只有 0 个"},
		{args: []string{"a b"}, check: cobra.NoArgs, en: `unknown command "a b" for "try"`, zh: `"try" 没有命令 "a b"`},
		{args: []string{"--fast"}, en: "unknown flag: --fast", zh: "未知的参数：--fast"},
		{args: []string{"-bx"}, en: "unknown shorthand flag: 'x' in -x", zh: "未知的短参数：-x 中的 'x'"},
		{args: []string{"--save"}, en: "flag needs an argument: --save", zh: "参数缺少值：--save"},
		{args: []string{"-s"}, en: "flag needs an argument: 's' in -s", zh: "参数缺少值：-s 中的 's'"},
		{args: []string{"--=x"}, en: "bad flag syntax: --=x", zh: "参数写法不正确：--=x"},
		{args: []string{"--rate", "x"}, en: `invalid argument "x" for "--rate" flag: strconv.ParseFloat: parsing "x": invalid syntax`,
			zh: `参数 "--rate" 的值 "x" 无效：strconv.ParseFloat: parsing "x": invalid syntax`},
		{args: []string{"--depth", "x"}, en: `--depth "x": expected a whole number, such as 3`, zh: `--depth "x"：应为整数，例如 3`, changed: true},
		{args: []string{"--wait", "5"}, en: `--wait "5": expected a number with a unit, such as 500us or 1.5ms`, zh: `--wait "5"：应为带单位的数，例如 500us 或 1.5ms`, changed: true},
		{args: []string{"-b", "--save=x"}, en: "if any flags in the group [bare save] are set none of the others can be; [bare save] were all set",
			zh: "参数 [bare save] 只能给出其中一个；实际给出了 [bare save]"},
	} {
		command := &cobra.Command{Use: "try", Args: test.check, Run: func(*cobra.Command, []string) {}, SilenceErrors: true, SilenceUsage: true}
		flags := command.Flags()
		flags.BoolP("bare", "b", false, "")
		flags.StringP("save", "s", "", "")
		flags.Int("depth", 0, "")
		flags.Float64("rate", 0, "")
		flags.Duration("wait", time.Second, "")
		command.MarkFlagsMutuallyExclusive("bare", "save")
		command.SetArgs(test.args)
		theirs := command.Execute()
		if theirs == nil {
			t.Errorf("%q: no error, expected %s", test.args, test.en)
			continue
		}
		if !test.changed && theirs.Error() != test.en {
			t.Errorf("%q: cobra says %s, expected %s", test.args, theirs, test.en)
		}
		ours := Error(theirs)
		if ours.Error() != test.en {
			t.Errorf("%q: %s, expected %s", test.args, ours, test.en)
		}
		if zh := message.For("zh").Error(ours); zh != test.zh {
			t.Errorf("%q: %s, expected %s", test.args, zh, test.zh)
		}
	}
}

func TestOtherErrorsStay(t *testing.T) {
	if Error(nil) != nil {
		t.Error("nil is an error")
	}
	for _, err := range []error{errors.New("accepts 2 args"), fmt.Errorf("a: %w", errors.New("accepts 1 arg(s), received 2, or so")),
		message.ToUsageError(errors.New("accepts 2 arg(s), received 1"))} {
		if got := Error(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestFlagsAreWrapped(t *testing.T) {
	command := &cobra.Command{Use: "try", Run: func(*cobra.Command, []string) {}}
	command.Flags().StringP("output", "o", "tree", "打印什么：tree（调用树）、names（每行一个函数）、json、yaml、stdout（OpenTelemetry 的 span）、或 mermaid（图）")
	command.Flags().Bool("full", false, "全部")
	got := wrapFlags(command.Flags().FlagUsages())
	want := `      --full            全部
  -o, --output string   打印什么：tree（调用树）、names（每行一个函数）、json、
                        yaml、stdout（OpenTelemetry 的 span）、或 mermaid（图）
                        （默认 "tree"）
`
	if got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// Every heading of cobra's template is replaced: none is left that begins with an English word.
func TestUsageTemplateInChinese(t *testing.T) {
	template := (&cobra.Command{}).UsageTemplate()
	words := regexp.MustCompile(`\{\{[^}]*\}\}|\[command\]|--help`).ReplaceAllString(UsageTemplate(template, message.For("zh")), "")
	if english := regexp.MustCompile(`[A-Za-z]+`).FindString(words); english != "" {
		t.Errorf("%q is left in\n%s", english, words)
	}
}

func TestWrongNumberOfArgumentsNamesThem(t *testing.T) {
	root := &cobra.Command{Use: "apitrace", SilenceErrors: true, SilenceUsage: true}
	diff := &cobra.Command{Use: "diff SCENARIO VERSION VERSION", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(diff)
	err := argumentError(diff, cobra.ExactArgs(3)(diff, []string{"get-node"}))
	if want := `accepts 3 arg(s), received 1: expected "apitrace diff SCENARIO VERSION VERSION"`; err == nil || err.Error() != want {
		t.Errorf("%v, expected %s", err, want)
	}
	if err := argumentError(diff, errors.New("the scenario is unknown")); err == nil || err.Error() != "the scenario is unknown" {
		t.Errorf("another error is now %v", err)
	}
	if err := argumentError(diff, nil); err != nil {
		t.Errorf("no error is now %v", err)
	}
}
