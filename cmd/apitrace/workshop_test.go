package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// A testLearner is a learner who types commands of the workshop.
type testLearner struct {
	t *testing.T
	// lang is the language of the learner.
	lang string
}

// newTestLearner returns a learner without progress. Commands have an empty cache, no
// network and no Go toolchain.
func newTestLearner(t *testing.T, lang string) *testLearner {
	t.Setenv(program.StateEnv, t.TempDir())
	t.Setenv(program.CacheEnv, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GOPROXY", "off")
	return &testLearner{t, lang}
}

// types runs a command of the workshop and returns its standard output and its error.
func (p *testLearner) types(args ...string) (string, error) {
	var out, notices bytes.Buffer
	err := execute(p.t.Context(), append([]string{"apitrace", "workshop", "--lang", p.lang}, args...), &console.Streams{Out: &out, Err: &notices})
	return out.String(), err
}

// sees runs a command that must succeed and print the text want. Line breaks do not
// matter.
func (p *testLearner) sees(want string, args ...string) {
	p.t.Helper()
	out, err := p.types(args...)
	if err != nil {
		p.t.Errorf("%q: %v", args, err)
	}
	if !strings.Contains(unwrapped(out), unwrapped(want)) {
		p.t.Errorf("%q prints\n%s\nexpected it to say %q", args, out, want)
	}
}

// unwrapped removes from a text everything that layout may change: spaces, line ends, and
// the marks of lists, emphasis and code. It also removes the flag --lang from commands in
// course texts.
func unwrapped(text string) string {
	return withoutLang.Replace(strings.Join(strings.Fields(strings.NewReplacer("*", "", "\n- ", "\n", "• ", "", "```diff", "", "```", "").Replace(text)), ""))
}

var withoutLang = strings.NewReplacer("--langzh", "", "--langen", "")

// TestTraceOnly shows a request of an exercise's recording, as the story's last line says.
func TestTraceOnly(t *testing.T) {
	p := newTestLearner(t, "en")
	if _, err := p.types("start", "wanted-and-found"); err != nil {
		t.Fatal(err)
	}
	story, err := p.types("trace")
	if err != nil || !strings.Contains(story, `"--only 2" shows its calls`) {
		t.Fatalf("error %v, expected a story that names --only in:\n%s", err, story)
	}
	if out, err := p.types("trace", "--only", "2"); err != nil || out == story || !strings.Contains(out, "called by") {
		t.Errorf("trace --only 2: error %v, expected the tree of a request in:\n%s", err, out)
	}
	if _, err := p.types("trace", "--only", "0"); err == nil || !strings.Contains(err.Error(), "numbered from 1") {
		t.Errorf("trace --only 0: got the error %v", err)
	}
}

// TestCostlyPlayTheCourse solves the course in Chinese from the first exercise to the
// last, with hints, solutions and explanations, without network and toolchain. It
// leaves out exercises that need a server.
func TestCostlyPlayTheCourse(t *testing.T) {
	testenv.Costly(t, "solves all exercises")
	playTheCourse(t, "zh")
}

// TestSlowPlayTheCourse solves the same exercises in English, and also gives all wrong
// answers. The tests of the judge in package workshop check the replies to wrong answers
// as well.
func TestSlowPlayTheCourse(t *testing.T) {
	testenv.Slow(t)
	playTheCourse(t, "en")
}

// numbered matches the first line of an exercise in the list. A long title continues on
// the next line.
var numbered = regexp.MustCompile(`(?m)^  .{1,3} +\d+\.\d+ .*$`)

func playTheCourse(t *testing.T, lang string) {
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	judge, err := learner.NewJudge("v1.37.1")
	if err != nil {
		t.Fatal(err)
	}
	p := newTestLearner(t, lang)
	for _, e := range course.Exercises() {
		if !e.Live() && available(t, e, judge.K8s) {
			p.play(judge, e)
		}
	}
	out, err := p.types()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range course.Exercises() {
		lines := numbered.FindAllString(out[:strings.Index(out, "        "+e.Name+"\n")], -1)
		line := lines[len(lines)-1]
		if passed := strings.HasPrefix(line, "  ✓ "); !e.Live() && passed != available(t, e, judge.K8s) {
			t.Errorf("%s: marked as passed in the list: %v, expected the opposite\n%s", e.Name, passed, line)
		}
	}
}

// TestLiveNeeds checks that a live exercise says, before the learner begins, what its
// server needs on this machine: Go, or only a build. The test builds nothing.
func TestLiveNeeds(t *testing.T) {
	path := os.Getenv("PATH") // contains Go, because "go test" adds its folder
	for lang, wants := range map[string][2]string{
		"en": {"this machine has no Go that can compile it", "which is built once, in a few minutes"},
		"zh": {"这台机器没有能编译它的 Go", "第一次要先构建几分钟"},
	} {
		p := newTestLearner(t, lang)
		for i, want := range wants {
			p.sees(want, "start", "from-memory")
			p.sees(want, "start", "your-own-rule")
			if out, err := p.types("next"); err != nil || strings.Contains(out, wants[1-i]) {
				t.Errorf("\"next\": got the error %v and the output below, expected no error and only the need of this machine\n%s", err, out)
			}
			t.Setenv("PATH", path)
		}
		p.sees("", "start", "your-own-rule")
		if _, err := p.types("check"); err == nil || !strings.Contains(err.Error(), "the server is not changed yet: \"apitrace edit k8s.io/") {
			t.Errorf("check before the server is changed: got the error %v, expected one that says so", err)
		}
	}
}

func available(t *testing.T, e *workshop.Exercise, k8s string) bool {
	t.Helper()
	is, err := e.Available(k8s)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// play solves one exercise.
func (p *testLearner) play(judge workshop.Judge, e *workshop.Exercise) {
	p.t.Helper()
	p.sees(e.Question.In(p.lang), "start", e.Name)
	if out, err := p.types("explain"); err == nil {
		p.t.Errorf("\"explain\" explains %s before it is passed, expected an error:\n%s", e.Name, out)
	}
	right, err := judge.Right(e)
	if err != nil {
		p.t.Fatal(err)
	}
	for i, wrong := range e.Wrong {
		// The judge does not depend on the language, so only English tries all wrong
		// answers.
		if wrong.Releases.Has(judge.K8s) && (p.lang == "en" || i == 0) {
			p.giveWrong(e, wrong, right)
		}
	}
	for i := range e.Hints {
		p.hints(e, i+1)
	}
	p.sees("✓", append([]string{"check"}, strings.Fields(right[0])...)...)
	p.sees(right[0], "solution")
	p.sees(e.Debrief.In(p.lang), "explain")
}

// giveWrong gives the answers in wrong.Try, except answers that are right in this
// version. At least one of them must get wrong.Reply.
func (p *testLearner) giveWrong(e *workshop.Exercise, wrong workshop.Wrong, right []string) {
	p.t.Helper()
	var all string
	for _, answer := range wrong.Try {
		if slices.Contains(right, answer) {
			continue
		}
		out, err := p.types(append([]string{"check"}, strings.Fields(answer)...)...)
		if err == nil || exitCode(err) != 1 {
			p.t.Errorf("%s: the wrong answer %q gave the error %v, expected exit status 1", e.Name, answer, err)
		}
		all += out
	}
	if !strings.Contains(unwrapped(all), unwrapped(wrong.Reply.In(p.lang))) {
		p.t.Errorf("%s: expected that one of the answers %q gets the reply %q, got\n%s", e.Name, wrong.Try, wrong.Reply.In(p.lang), all)
	}
}

// hints asks for the next hint. It checks that the output has the first hints and no
// others. shown is the expected number of hints in the output.
func (p *testLearner) hints(e *workshop.Exercise, shown int) {
	p.t.Helper()
	out, err := p.types("hint")
	if err != nil {
		p.t.Error(err)
	}
	for i, hint := range e.Hints {
		if has := strings.Contains(unwrapped(out), unwrapped(hint.In(p.lang))); has != (i < shown) {
			p.t.Errorf("%s: after %d times \"hint\", hint %d is shown: %v, expected the opposite\n%s", e.Name, shown, i+1, has, out)
		}
	}
}

// TestEndOfTheCourse checks what "next" says after the last exercise, in both languages.
// If only the last exercise is passed, it must say how many are left. If all exercises of
// an older release are passed, it must say that. If all exercises are passed, it must say
// that the course ends, and name the command for the summary.
func TestEndOfTheCourse(t *testing.T) {
	course, err := workshop.Open("")
	if err != nil {
		t.Fatal(err)
	}
	all := course.Exercises()
	for lang, says := range map[string]struct{ last, left, release, end string }{
		"en": {fmt.Sprintf("That was the last exercise of the last chapter. You have passed 1 of %d; %d are left.", len(all), len(all)-1), "0.1  Where a request begins", "You have passed all exercises that can be done with Kubernetes v1.26.15,", "Congratulations: you have passed all exercises of the course."},
		"zh": {fmt.Sprintf("这是最后一章的最后一个练习。你已通过 1 个（共 %d 个），还剩 %d 个。", len(all), len(all)-1), "0.1  请求从哪里开始", "能用 Kubernetes v1.26.15 完成的练习都已通过", "恭喜：课程的全部练习都已通过。"},
	} {
		p := newTestLearner(t, lang)
		state := &workshop.State{Path: filepath.Join(os.Getenv(program.StateEnv), "workshop.jsonl")}
		add := func(did workshop.Action, exercises ...*workshop.Exercise) {
			var events []workshop.Event
			for _, e := range exercises {
				events = append(events, workshop.Event{Did: did, Exercise: e.Name})
			}
			if err := state.Add(t.Context(), events...); err != nil {
				t.Fatal(err)
			}
		}
		last := all[len(all)-1]
		add(workshop.Started, last)
		add(workshop.Passed, last)
		p.sees(says.last, "next")
		if out, err := p.types("next"); err != nil || strings.Contains(unwrapped(out), unwrapped(says.last)) || !strings.Contains(out, says.left) {
			t.Errorf("the second \"next\": got the error %v and the output below, expected an exercise that is left\n%s", err, out)
		}
		for _, e := range all {
			available, err := e.Available("v1.26.15")
			if err != nil {
				t.Fatal(err)
			}
			if available {
				add(workshop.Passed, e)
			}
		}
		p.sees(says.release, "next", "--k8s", "1.26")
		add(workshop.Passed, all...)
		p.sees(says.end, "next")
		p.sees("apitrace workshop summary", "next")
		p.sees(last.Title.In(lang), "summary")
	}
}
