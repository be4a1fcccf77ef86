package program

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// playBuild reports the events of a build of three packages.
func playBuild(d *Display) {
	r := newReporter(d, tiny())
	r.stage(StageResolve, 0)
	r.stage(StageTidy, 0)
	r.notef("the workspace is damaged")
	r.stage(StageCompile, 3)
	for _, pkg := range []string{"a", "b", "c"} {
		r.step(pkg)
	}
	r.stage(StageLink, 0)
	r.stage(StageDone, 0)
}

func TestDisplayLines(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, false, message.Printer{})
	playBuild(d)
	d.Close()
	want := `tiny v1.2.3: tidy, 0s
tiny v1.2.3: the workspace is damaged
tiny v1.2.3: compile, 0 of 3 packages, 0s
tiny v1.2.3: link, 0s
tiny v1.2.3: done, 0s
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &out, want)
	}
}

// TestDisplayEscapes checks that neither a version from the user nor the output of a tool can
// control the terminal.
func TestDisplayEscapes(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		d := NewDisplay(&out, terminal, message.Printer{})
		d.Report(Event{Program: "evil\x1b]0;owned\a", Stage: StageCompile, Total: 3})
		d.Report(Event{Program: "evil\x1b]0;owned\a", Stage: StageCompile, Note: message.Of("%s", "gpj\u202eexe\x1b[2Jx\u009b31m\xff")})
		d.Close()
		for _, raw := range []string{"\x1b]", "\a", "\u202e", "\x1b[2J", "\u009b", "\xff"} {
			if strings.Contains(out.String(), raw) {
				t.Errorf("terminal %v: %q is not escaped in %q", terminal, raw, out.String())
			}
		}
		if !strings.Contains(out.String(), `evil\x1b]0;owned\a`) || !strings.Contains(out.String(), `gpj\u202eexe`) {
			t.Errorf("terminal %v: got %q, want the program and the note with escapes", terminal, out.String())
		}
	}
}

func TestDisplayTerminal(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, true, message.Printer{})
	playBuild(d)
	d.Close()
	for _, want := range []string{"tiny v1.2.3: tidy, 0s", "the workspace is damaged\n", "tiny v1.2.3: compile, 0s", "(3/3)", "tiny v1.2.3: done, 0s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the display lacks %q: %q", want, out.String())
		}
	}
	for _, line := range regexp.MustCompile(`[\r\n]+`).Split(out.String(), -1) {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("a line has %d columns, want at most 80: %q", n, line)
		}
	}
}

// TestDisplayCached checks that a Display shows nothing for a cached build.
func TestDisplayCached(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		d := NewDisplay(&out, terminal, message.Printer{})
		r := newReporter(d, tiny())
		r.stage(StageResolve, 0)
		r.stage(StageDone, 0)
		d.Close()
		if out.Len() > 0 {
			t.Errorf("terminal %t: got %q, want no output", terminal, out.String())
		}
	}
}

// TestDisplayStart checks that the start of a program is shown on a terminal, and that it
// leaves no line in a log.
func TestDisplayStart(t *testing.T) {
	for terminal, want := range map[bool]bool{true: true, false: false} {
		var out bytes.Buffer
		d := NewDisplay(&out, terminal, message.Printer{})
		d.Report(Event{Program: "tiny v1.2.3", Stage: StageStart})
		d.Close()
		if got := strings.Contains(out.String(), "tiny v1.2.3: start"); got != want || !terminal && out.Len() > 0 {
			t.Errorf("on a terminal: %t: the start is shown: %t, in %q", terminal, got, out.String())
		}
	}
}
