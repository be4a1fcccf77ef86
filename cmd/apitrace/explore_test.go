package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/internal/testterm"
	"github.com/kubeapitrace/apitrace/ui/terminal"
)

// inTerminal starts apitrace in a terminal, with an empty cache and without network.
func inTerminal(t *testing.T, columns, rows int, args ...string) *testterm.Terminal {
	t.Helper()
	return testterm.Start(t, command(t, "apitrace", args...), columns, rows)
}

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir := testenv.Home(t, t.TempDir())
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=en_US.UTF-8", "LC_ALL=", "NO_COLOR=", "VISUAL=", "EDITOR=",
		"HOME="+dir, "GOPROXY=off", "GOMODCACHE="+filepath.Join(dir, "modules"), program.CacheEnv+"="+filepath.Join(dir, "cache"))
	return c
}

// A leg is a sequence of keys, a part of a journey. The test compares the screen after
// each leg.
type leg []string

// TestExploreJourneys explores recordings in a terminal. A journey is a list of legs. The
// expected screens of each journey are in one file.
func TestExploreJourneys(t *testing.T) {
	if testing.Short() {
		t.Skip("each journey starts the program")
	}
	for name, test := range map[string]struct {
		columns, rows int
		args          []string
		legs          []leg
	}{
		"walk": {80, 24, []string{"get-node"}, []leg{
			nil, {"down", "down"}, {"}", "j"}, {"left"}, {"right"}, {"right"}, {"w"}, {"u"}, {"]"}, {"t"}, {"z"}, {"z"}, {"f"}, {"f"}, {"G"}, {"g"}, {"pgdown"},
		}},
		"find": {80, 24, []string{"get-node"}, []leg{
			{"/", "R", "B", "A", "C"}, {"backspace", "backspace", "backspace", "backspace", "v", "i", "s", "i", "t", "enter"}, {"n"}, {"n"}, {"N"},
			{"/", "q", "q", "q"}, {"esc"}, {"&", "e", "t", "c", "d", "3", "enter"}, {"esc"}, {"m"}, {"G", "'"}, {"c"},
		}},
		"fail": {80, 24, []string{"get-forbidden"}, []leg{{"e"}, {"e", "2"}, {"0", "3"}}},
		"step": {100, 30, []string{"get-node"}, []leg{
			{"2", "s"}, {"s", "s"}, {"d"}, {"f11", "f11", "f11", "f11"}, {"x"}, {"S"}, {"D"}, {"X"}, {"X", "X"},
		}},
		"switch": {80, 24, []string{"get-node"}, []leg{
			{"p"}, {"f", "o", "r", "b"}, {"enter"}, {"R"}, {"1", ".", "1", "5", "enter"}, {"L"}, {"3"}, {"p", "esc"}, {"L"},
		}},
		"diff": {80, 24, []string{"get-node"}, []leg{
			{"="}, {"1", ".", "3", "0", "enter"}, {"v"}, {"v", "v"}, {"V"}, {"|"}, {"|", "-", "-", "-"}, {"5"}, {"s"}, {"L"}, {"L", "esc"},
		}},
		"diff-sides": {200, 50, []string{"create-deployment", "--k8s", "1.37"}, []leg{{"=", "1", ".", "3", "0", "enter"}, {"|"}, {"v", "v", "v"}, {"2"}}},
		"panes": {120, 40, []string{"create-deployment"}, []leg{
			{"1"}, {"2"}, {"3", "<", "<"}, {">", ">", ">"}, {"4"}, {"J", "J"}, {"4"}, {"?"}, {"j", "j"}, {"q"}, {"o"}, {"r"},
		}},
		"files":   {80, 24, []string{"testdata/create-deployment.jsonl"}, []leg{nil, {"r"}}},
		"ascii":   {80, 24, []string{"get-node", "--ascii", "--color", "never"}, []leg{nil, {"2"}}},
		"chinese": {80, 24, []string{"create-deployment", "--lang", "zh"}, []leg{nil, {"?"}, {"q", "3", "t"}}},
		"story": {80, 24, []string{"deployment-to-pod"}, []leg{
			nil, {"down", "down", "enter"}, {"H"}, {"/", "s", "a", "n", "d", "enter"}, {"n"}, {"enter", "2"}, {"H", "G"}, {"L"}, {"?"}, {"?", "e", "enter"}, {"P"}, {"esc"},
		}},
		"story-ascii": {50, 20, []string{"deployment-to-pod", "--ascii", "--color", "never"}, []leg{nil, {"j", "j", "enter"}, {"esc"}}},
		"tabs":        {80, 24, []string{"watch-pods"}, []leg{nil, {"tab"}, {"tab"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inTerminal(t, test.columns, test.rows, append([]string{"explore"}, test.args...)...)
			c.Shows(" 1  ")
			compareLegs(t, c, name, test.legs)
			c.Type("q")
			if status := c.Wait(); status != 0 {
				t.Errorf("after q, explore ended with exit status %d, expected 0", status)
			}
		})
	}
}

// compareLegs types keys and compares the screens with a file.
func compareLegs(t *testing.T, c *testterm.Terminal, name string, legs []leg) {
	t.Helper()
	file := filepath.Join("testdata", "explore", name+".golden")
	data, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatalf("%v (go test ./cmd/apitrace -run TestExplore -update writes it)", err)
	}
	heading := func(l leg) string { return "== " + strings.Join(l, " ") + "\n" }
	rest := string(data)
	var all strings.Builder
	for i, l := range legs {
		c.Type(l...)
		if *update {
			all.WriteString(heading(l) + c.Settled())
			continue
		}
		after, ok := strings.CutPrefix(rest, heading(l))
		if !ok {
			t.Fatalf("%s has no screen after %q (-update writes it)", file, l)
		}
		want := after
		if i+1 < len(legs) {
			want, rest = before(after, heading(legs[i+1]))
		}
		c.Until(fmt.Sprintf("the screen that %s has after %q:\n%s", file, l, want), func(screen string) bool { return screen == want })
	}
	if *update {
		if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// before splits a text before the line that begins with heading.
func before(text, heading string) (string, string) {
	if i := strings.Index(text, "\n"+heading); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

// TestExploreResizes makes the terminal smaller than the view needs, then large again.
func TestExploreResizes(t *testing.T) {
	c := inTerminal(t, 120, 40, "explore", "get-node")
	first := c.Shows("▾ 5  ")
	c.Type("1", "j")
	c.Shows("called from")
	c.Resize(80, 24)
	c.Until("80 columns", func(screen string) bool {
		return strings.Count(screen, "\n") == 24 && strings.Contains(screen, "? keys") && !strings.Contains(screen, "▾ 6  ")
	})
	c.Resize(30, 6)
	c.Shows("too small")
	c.Resize(120, 40)
	c.Shows("called from")
	c.Type("0", "k")
	c.Until("the first screen:\n"+first, func(screen string) bool { return screen == first })
	c.Type("ctrl+c")
	if status := c.Wait(); status != 0 {
		t.Errorf("after ctrl+c, explore ended with exit status %d, expected 0", status)
	}
}

// TestExploreTakesTheMouse selects, opens and scrolls by mouse.
func TestExploreTakesTheMouse(t *testing.T) {
	c := inTerminal(t, 80, 24, "explore", "get-node")
	const function = "request.(*RequestInfoFactory).NewRequestInfo"
	closed := c.Shows("▹ " + function + " ⋯1")
	line := strings.Count(closed[:strings.Index(closed, function)], "\n")
	c.Click(20, line)
	c.Until("the row selected", func(screen string) bool {
		return regexp.MustCompile(`(?m)^».*▹ ` + regexp.QuoteMeta(function)).MatchString(screen)
	})
	c.Click(20, line)
	c.Shows("▾ " + function)
	c.Click(20, line)
	c.Shows("▹ " + function + " ⋯1")
	for range 20 {
		c.Type("\x1b[<65;10;10M") // the wheel
	}
	c.Until("the rows below the first section", func(screen string) bool { return screen != closed && !strings.Contains(screen, "▾ 1  HTTP server") })
	c.Type("M")
	c.Until("the end of mouse tracking", func(string) bool { return strings.HasSuffix(mouseModes(c.Output()), "l") })
	c.Type("q")
	c.Wait()
}

// mouseModes returns a letter for each time that mouse tracking was switched on (h) or off
// (l).
func mouseModes(output string) string {
	modes := ""
	for _, part := range strings.Split(output, "\x1b[?1002")[1:] {
		modes += part[:1]
	}
	return modes
}

// TestExploreCopies checks the texts that explore sends to the terminal's clipboard.
func TestExploreCopies(t *testing.T) {
	c := inTerminal(t, 80, 24, "explore", "get-node")
	c.Shows("▾ 1")
	c.Type("y")
	c.Shows("copied: k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP")
	c.Type("Y")
	c.Shows("https://github.com/kubernetes/") // below "copied:", because the address takes two lines
	c.Type("q")
	c.Wait()
	var copied []string
	for _, text := range c.Clipboard() {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		copied = append(copied, string(data))
	}
	want := []string{
		"k8s.io/apiserver/pkg/server.(*APIServerHandler).ServeHTTP",
		"https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/apiserver/pkg/server/handler.go#L187",
	}
	if !slices.Equal(copied, want) {
		t.Errorf("copied %q, expected %q", copied, want)
	}
}

// TestExploreLeavesTheTerminalAsItWas ends explore by signals.
func TestExploreLeavesTheTerminalAsItWas(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			c := inTerminal(t, 80, 24, "explore", "get-node")
			c.Shows("▾ 1")
			c.Signal(s)
			if status := c.Wait(); status != 128+int(s) {
				t.Errorf("exit status %d, expected %d", status, 128+int(s))
			}
			if screen := c.Screen(); !strings.Contains(screen, "stopped by signal") {
				t.Errorf("the screen does not say that a signal ended explore:\n%s", screen)
			}
		})
	}
}

// TestExploreNeedsATerminal reads the error of explore without a terminal.
func TestExploreNeedsATerminal(t *testing.T) {
	out, err := command(t, "apitrace", "explore").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs a terminal") {
		t.Errorf("explore without a terminal: got %v and the output %s, expected the error \"needs a terminal\"", err, out)
	}
}

// TestPanicLeavesTheTerminalAsItWas runs a model that panics when a key is typed: in
// Update (u) or in a command (c).
func TestPanicLeavesTheTerminalAsItWas(t *testing.T) {
	for _, key := range []string{"u", "c"} {
		c := testterm.Start(t, command(t, "panicking-screen"), 80, 24)
		c.Shows("press u or c")
		c.Type(key)
		if status := c.Wait(); status != 1 {
			t.Errorf("%s: exit status %d, expected 1", key, status)
		}
		if !strings.Contains(c.Output(), "broken by a test") {
			t.Errorf("%s: the output does not name the panic:\n%s", key, c.Screen())
		}
	}
}

// panickingScreen is a program that shows a model of the type panicking. It does so in the
// same way as explore shows its model.
func panickingScreen() {
	if err := terminal.Run(context.Background(), panicking{}, os.Stdin, os.Stdout); err != nil {
		report(os.Stderr, message.Printer{}, err)
		os.Exit(exitCode(err))
	}
}

type panicking struct{}

func (panicking) Init() tea.Cmd { return nil }

func (p panicking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		if key.String() == "u" {
			panic(errors.New("broken by a test"))
		}
		return p, func() tea.Msg { panic(errors.New("broken by a test")) }
	}
	return p, nil
}

func (panicking) View() tea.View {
	v := tea.NewView("press u or c")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

// BenchmarkExploreBoot opens the recording of a server's start with 206,000 calls, and
// quits. It reports processor time (user-ms/op), which other programs on the machine
// affect less than elapsed time.
func BenchmarkExploreBoot(b *testing.B) {
	var user time.Duration
	for b.Loop() {
		command := exec.Command("apitrace", "explore", "boot")
		command.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=en_US.UTF-8")
		c := testterm.Start(b, command, 120, 40)
		c.Shows("▾ 1  ")
		c.Type("q")
		c.Wait()
		user += command.ProcessState.UserTime()
	}
	b.ReportMetric(float64(user.Milliseconds())/float64(b.N), "user-ms/op")
}
