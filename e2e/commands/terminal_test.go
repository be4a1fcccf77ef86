package commands

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"
)

// onTerminal runs an apitrace command on a terminal with 100 columns. It returns the
// bytes of the command's standard output and standard error.
func (m *machine) onTerminal(args ...string) string {
	m.Helper()
	control, screen := openTerminal(m)
	defer control.Close()
	command := m.command(args...)
	command.Stdout, command.Stderr = screen, screen
	command.Env = append(command.Env, "TERM=xterm-256color", "PAGER=cat", "APITRACE_PAGER=cat")
	if err := command.Start(); err != nil {
		m.Error(err)
		screen.Close()
		return ""
	}
	screen.Close()
	shown, _ := io.ReadAll(control) // ends with EIO when the last program has closed the terminal
	_ = command.Wait()
	return string(shown)
}

// openTerminal opens a pseudo-terminal, or skips the test.
func openTerminal(t testing.TB) (control, screen *os.File) {
	t.Helper()
	control, screen, err := pty.Open()
	if err != nil {
		t.Skipf("pseudo-terminals are not available: %v", err)
	}
	if err := pty.Setsize(screen, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	return control, screen
}

// sequences matches the escape sequences that apitrace itself writes: colours, links to
// the web, and the sequences that clear the line of a progress bar. It also matches
// line ends, to which a terminal adds a carriage return.
var sequences = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\]8;;(?:https://[!-~]*)?(?:\a|\x1b\\\\)|\r\n|\r\x1b\\[2?K|\x1b\\[2K\r")

// rawIn returns the first text that must not reach a terminal, with its surroundings. It
// returns "" if there is none.
func rawIn(shown string) string {
	shown = sequences.ReplaceAllString(shown, "\n")
	for i, r := range shown {
		if invalid := r == utf8.RuneError && !strings.HasPrefix(shown[i:], "\uFFFD"); invalid || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return fmt.Sprintf("%q", shown[max(0, i-80):min(len(shown), i+40)])
		}
	}
	return ""
}
