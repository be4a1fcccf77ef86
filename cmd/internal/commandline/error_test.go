package commandline

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
)

func TestErrorsOfFlagValues(t *testing.T) {
	for _, test := range []struct {
		flag, value, en, zh string
	}{
		{"--depth", "x", `--depth "x": expected a whole number, such as 3`, `--depth "x"：应为整数，例如 3`},
		{"--wait", "5", `--wait "5": expected a number with a unit, such as 500us or 1.5ms`, `--wait "5"：应为带单位的数，例如 500us 或 1.5ms`},
		{"--rate", "x", `invalid argument "x" for "--rate" flag: strconv.ParseFloat: parsing "x": invalid syntax`,
			`invalid argument "x" for "--rate" flag: strconv.ParseFloat: parsing "x": invalid syntax`},
	} {
		command := &cobra.Command{Use: "try", Run: func(*cobra.Command, []string) {}, SilenceErrors: true, SilenceUsage: true}
		command.Flags().Int("depth", 0, "")
		command.Flags().Float64("rate", 0, "")
		command.Flags().Duration("wait", time.Second, "")
		command.SetArgs([]string{test.flag, test.value})
		err := Error(command.Execute())
		if err == nil || err.Error() != test.en {
			t.Errorf("%s %s: got the error %v, expected %s", test.flag, test.value, err, test.en)
			continue
		}
		if zh := message.For("zh").Error(err); zh != test.zh {
			t.Errorf("%s %s: got the Chinese error %s, expected %s", test.flag, test.value, zh, test.zh)
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

// TestUsageTemplateInChinese checks that every heading of cobra's template is translated:
// no English word is left.
func TestUsageTemplateInChinese(t *testing.T) {
	template := (&cobra.Command{}).UsageTemplate()
	words := regexp.MustCompile(`\{\{[^}]*\}\}|\[command\]|--help`).ReplaceAllString(UsageTemplate(template, message.For("zh")), "")
	if english := regexp.MustCompile(`[A-Za-z]+`).FindString(words); english != "" {
		t.Errorf("the English text %q is left in\n%s", english, words)
	}
}

func TestWrongNumberOfArgumentsNamesThem(t *testing.T) {
	root := &cobra.Command{Use: "apitrace", SilenceErrors: true, SilenceUsage: true}
	diff := &cobra.Command{Use: "diff SCENARIO VERSION VERSION", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(diff)
	err := argumentError(diff, cobra.ExactArgs(3)(diff, []string{"get-node"}))
	if want := `expected "apitrace diff SCENARIO VERSION VERSION", found one argument`; err == nil || err.Error() != want {
		t.Errorf("got the error %v, expected %s", err, want)
	}
	if err := argumentError(diff, errors.New("the scenario is unknown")); err == nil || err.Error() != "the scenario is unknown" {
		t.Errorf("argumentError changed an error that is not about arguments to %v", err)
	}
}
