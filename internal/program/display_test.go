package program

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// playBuild reports what a build of three packages reports.
func playBuild(d *Display) {
	r := newReporter(d, tiny())
	r.stage(StageResolve, 0)
	r.stage(StageTidy, 0)
	r.note("the workspace is damaged")
	r.stage(StageCompile, 3)
	for _, pkg := range []string{"a", "b", "c"} {
		r.step(pkg)
	}
	r.stage(StageLink, 0)
	r.stage(StageDone, 0)
}

func TestDisplayLines(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, false)
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

func TestDisplayTerminal(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, true)
	playBuild(d)
	d.Close()
	for _, want := range []string{"tiny v1.2.3: tidy, 0s", "the workspace is damaged\n", "tiny v1.2.3: compile, 0s", "(3/3)", "tiny v1.2.3: done, 0s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the display lacks %q: %q", want, out.String())
		}
	}
	for _, line := range regexp.MustCompile(`[\r\n]+`).Split(out.String(), -1) {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
}

// What is in the cache is no news.
func TestDisplayCached(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		d := NewDisplay(&out, terminal)
		r := newReporter(d, tiny())
		r.stage(StageResolve, 0)
		r.stage(StageDone, 0)
		d.Close()
		if out.Len() > 0 {
			t.Errorf("terminal %t: %q", terminal, out.String())
		}
	}
}
