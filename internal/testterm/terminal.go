// Package testterm runs a program in a pseudo terminal for tests.
// It sets the terminal's size, types keys, and reads the screen.
package testterm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// A Terminal is a pseudo terminal with a program in it.
type Terminal struct {
	t       testing.TB
	command *exec.Cmd
	ours    *os.File    // the test's end of the pseudo terminal
	theirs  *os.File    // the program's end
	before  *term.State // the line settings at the start
	ended   chan struct{}
	err     error // the program's error, once ended is closed

	mu       sync.Mutex
	emulator *vt.Emulator
	output   bytes.Buffer
	changed  time.Time          // when the last output, typed key or new size came
	altered  map[ansi.Mode]bool // the modes that differ from their initial value
	alt      bool               // the alternate screen is shown
}

// Start starts a program in a terminal of columns × rows cells.
// If the program still runs at the end of the test, it is killed.
func Start(t testing.TB, command *exec.Cmd, columns, rows int) *Terminal {
	t.Helper()
	c := &Terminal{t: t, command: command, ended: make(chan struct{}), emulator: vt.NewEmulator(columns, rows), altered: map[ansi.Mode]bool{}, changed: time.Now()}
	change := func(mode ansi.Mode) {
		if c.altered[mode] = !c.altered[mode]; !c.altered[mode] {
			delete(c.altered, mode)
		}
	}
	set := map[ansi.Mode]bool{ansi.ModeTextCursorEnable: true, ansi.ModeAutoWrap: true}
	to := func(on bool) func(ansi.Mode) {
		return func(mode ansi.Mode) {
			if set[mode] != on {
				set[mode] = on
				change(mode)
			}
		}
	}
	c.emulator.SetCallbacks(vt.Callbacks{AltScreen: func(on bool) { c.alt = on }, EnableMode: to(true), DisableMode: to(false)})
	var err error
	if c.ours, c.theirs, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.ours.Close(); c.theirs.Close() })
	c.resize(columns, rows)
	if c.before, err = term.GetState(int(c.theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	command.Stdin, command.Stdout, command.Stderr = c.theirs, c.theirs, c.theirs
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		c.err = command.Wait()
		close(c.ended)
	}()
	t.Cleanup(c.end)
	go c.read()
	go io.Copy(c.ours, c.emulator) // the emulator's answers to the program's queries
	return c
}

// end kills a running program, and ends the reading goroutines.
func (c *Terminal) end() {
	select {
	case <-c.ended:
	default:
		_ = c.command.Process.Kill()
		<-c.ended
	}
	if pipe, ok := c.emulator.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
}

func (c *Terminal) read() {
	data := make([]byte, 1<<16)
	for {
		n, err := c.ours.Read(data)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.output.Write(data[:n])
		_, _ = c.emulator.Write(data[:n]) // cannot fail
		c.changed = time.Now()
		c.mu.Unlock()
	}
}

// keys maps names of keys to the sequences that terminals send.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f", "ctrl+c": "\x03",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pgdown": "\x1b[6~", "pgup": "\x1b[5~", "f10": "\x1b[21~", "f11": "\x1b[23~",
}

// escapeTime is the pause after the program has read Esc.
// If another key follows earlier, a program takes both for Alt with that key.
const escapeTime = 100 * time.Millisecond

// awaitTyped waits until the program has read all keys or ended.
func (c *Terminal) awaitTyped() {
	c.t.Helper()
	testenv.Await(c.t, "the program reads the typed keys", func() bool {
		select {
		case <-c.ended:
			return true
		default:
			return unread(c.theirs) == 0
		}
	})
}

// Type types keys. A key is a name in keys, or any text.
func (c *Terminal) Type(names ...string) {
	c.t.Helper()
	for _, name := range names {
		key, ok := keys[name]
		if !ok {
			key = name
		}
		if _, err := io.WriteString(c.ours, key); err != nil {
			c.t.Fatalf("typing %q: %v", name, err)
		}
		if name == "esc" {
			c.awaitTyped()
			time.Sleep(escapeTime)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = time.Now()
}

// Click clicks with the left mouse button on a cell.
// The cell in the upper left corner has x and y 0.
func (c *Terminal) Click(x, y int) {
	c.t.Helper()
	c.Type(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Resize changes the size of the terminal.
func (c *Terminal) Resize(columns, rows int) {
	c.mu.Lock()
	c.emulator.Resize(columns, rows)
	c.changed = time.Now()
	c.mu.Unlock()
	c.resize(columns, rows)
}

func (c *Terminal) resize(columns, rows int) {
	if err := pty.Setsize(c.ours, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		c.t.Fatal(err)
	}
}

// Signal sends the program a signal.
func (c *Terminal) Signal(s os.Signal) {
	if err := c.command.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// Screen returns the lines of the screen.
// A line with a cell in reverse video begins with "»". Other lines begin with a blank.
func (c *Terminal) Screen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out strings.Builder
	for y := range c.emulator.Height() {
		mark, line := " ", ""
		for x := 0; x < c.emulator.Width(); {
			cell := c.emulator.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				line += " "
				x++
				continue
			}
			if cell.Style.Attrs&uv.AttrReverse != 0 {
				mark = "»"
			}
			line += cell.Content
			x += max(1, cell.Width)
		}
		out.WriteString(strings.TrimRight(mark+line, " ") + "\n")
	}
	return out.String()
}

// Output returns everything that the program has written.
func (c *Terminal) Output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.output.String()
}

// Until waits until is(screen) is true, and returns the screen.
// The test fails after testenv.Patience. what describes the screen.
func (c *Terminal) Until(what string, is func(screen string) bool) string {
	c.t.Helper()
	var screen string
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(5 * time.Millisecond) {
		if screen = c.Screen(); is(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("waited %v for a screen with %s; the last one:\n%s", testenv.Patience, what, screen)
		}
	}
}

// Shows waits for a screen that contains a text, and returns the screen.
func (c *Terminal) Shows(text string) string {
	c.t.Helper()
	return c.Until(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// Settled returns the screen after 700 ms without a change.
// Tests that know what to wait for must use Until.
func (c *Terminal) Settled() string {
	const quiet = 700 * time.Millisecond
	for {
		c.mu.Lock()
		left := quiet - time.Since(c.changed)
		c.mu.Unlock()
		if left <= 0 {
			return c.Screen()
		}
		time.Sleep(left)
	}
}

// Wait waits for the program's end and returns the exit status.
// The test fails if the terminal was not restored.
func (c *Terminal) Wait() int {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(testenv.Patience):
		c.t.Fatalf("the program does not end; the screen is:\n%s", c.Screen())
	}
	c.awaitOutput()
	after, err := term.GetState(int(c.theirs.Fd()))
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !reflect.DeepEqual(after, c.before) {
		c.t.Errorf("the program changed the terminal's line settings to %+v, expected %+v", after, c.before)
	}
	if c.alt {
		c.t.Error("the program did not leave the alternate screen")
	}
	for mode := range maps.Keys(c.altered) {
		c.t.Errorf("the program did not restore mode %v of the terminal", mode)
	}
	var exit *exec.ExitError
	if c.err != nil && !errors.As(c.err, &exit) {
		c.t.Fatal(c.err)
	}
	return c.command.ProcessState.ExitCode()
}

// endMark is a control sequence that terminals ignore.
const endMark = "\x1b]7999;end\a"

// awaitOutput waits until all output of the ended program is read.
// It writes endMark behind the output and waits for it.
// It removes endMark and any later output, which can only be the echo of the
// emulator's answers.
func (c *Terminal) awaitOutput() {
	c.t.Helper()
	if _, err := io.WriteString(c.theirs, endMark); err != nil {
		c.t.Fatal(err)
	}
	testenv.Await(c.t, "the last output of the program is read", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		end := bytes.Index(c.output.Bytes(), []byte(endMark))
		if end >= 0 {
			c.output.Truncate(end)
		}
		return end >= 0
	})
}

// Clipboard returns the base64 texts that the program copied to the clipboard with OSC 52.
func (c *Terminal) Clipboard() []string {
	const begin = "\x1b]52;c;"
	var all []string
	for _, part := range strings.Split(c.Output(), begin)[1:] {
		text := part[:max(0, strings.IndexAny(part, "\a\x1b"))]
		all = append(all, text)
	}
	return slices.Clip(all)
}
