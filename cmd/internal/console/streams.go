// Package console is a command's input and output, on a terminal, a file or a pipe:
// results, notices, the progress of builds, and the pager.
//
// Package output prints recordings on these streams.
package console

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/kubeapitrace/apitrace/internal/bounded"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// Streams are a command's streams. Results go to Out, progress and notices to Err. In has
// the user's answers, or a file that the command reads. Streams implement session.Reporter.
type Streams struct {
	In io.Reader
	// On a terminal, a text.Guard escapes control sequences, so that texts from a server
	// cannot control the terminal.
	Out, Err io.Writer
	// Width is the number of Out's columns; 0 without a terminal.
	Width int
	// ErrTerminal is set if Err is a terminal. Progress is then shown as a bar.
	ErrTerminal bool
	// Printer formats notices in the user's language.
	Printer message.Printer
}

var _ session.Reporter = (*Streams)(nil)

// Standard returns the process's streams. The caller must close them.
func Standard() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, ErrTerminal: term.IsTerminal(int(os.Stderr.Fd()))}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		s.Width = width
		s.Out = &text.Guard{To: os.Stdout}
	}
	if s.ErrTerminal {
		s.Err = &text.Guard{To: os.Stderr}
	}
	return s
}

// Raw returns Out without the guard, for programs that apitrace runs.
func (s *Streams) Raw() io.Writer { return unguarded(s.Out) }

// RawErr returns Err without the guard, for the programs that apitrace runs and for the
// progress bar.
func (s *Streams) RawErr() io.Writer { return unguarded(s.Err) }

func unguarded(w io.Writer) io.Writer {
	if g, ok := w.(*text.Guard); ok {
		return g.To
	}
	return w
}

// Confirm shows a warning and asks the user on the terminal whether to go on. It returns
// a message.UsageError if the user does not type yes, or if there is no terminal. flag is
// the flag that makes the command go on without a question.
func (s *Streams) Confirm(warning message.Message, flag string) error {
	in, ok := s.In.(*os.File)
	if !ok || !s.ErrTerminal || !term.IsTerminal(int(in.Fd())) {
		return message.UsageErrorf("%s Nothing was done, because there is no terminal to ask on: add %s to do it", warning, flag)
	}
	fmt.Fprint(s.Err, warning.Localize(s.Printer)+" "+s.Printer.Sprintf("Type yes to go on: "))
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return message.Errorf("reading the answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return message.UsageErrorf("nothing was done: %q is not \"yes\"", strings.TrimSpace(answer))
	}
	return nil
}

// Columns returns the width of output: $COLUMNS, else the terminal's, else 0.
func (s *Streams) Columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return s.Width
}

// Close writes the bytes that the guards still hold.
func (s *Streams) Close() {
	for _, w := range []io.Writer{s.Out, s.Err} {
		if g, ok := w.(*text.Guard); ok {
			_ = g.Close() // writes an unfinished sequence at the end of the program
		}
	}
}

// Load reads a recording from a file, or from standard input for "-".
func (s *Streams) Load(file string) (*trace.Recording, error) { return session.Load(file, s.In, s) }

// ReadInput reads a file or a pipe, or standard input for "-". It returns an error for more
// than [bounded.MaxText] bytes.
func (s *Streams) ReadInput(name string) ([]byte, error) {
	if name == "-" {
		return bounded.ReadAll(s.In, "standard input", bounded.MaxText)
	}
	return bounded.ReadStream(name, bounded.MaxText)
}

// Building returns a display for a build's progress.
func (s *Streams) Building() session.BuildReporter {
	return program.NewDisplay(s.RawErr(), s.ErrTerminal, s.Printer)
}

// Notice prints a message that is not part of the result. It escapes texts from a server,
// a file or a client, so that they cannot control the terminal.
func (s *Streams) Notice(format string, args ...any) {
	fmt.Fprintln(s.Err, text.EscapeLines(s.Printer.Sprintf(format, args...)))
}

// WriteJSON writes a value as indented JSON.
func (s *Streams) WriteJSON(value any) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
