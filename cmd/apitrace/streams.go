package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// streams are where output goes: results to out, progress and notices to err; and where
// a recording may come from.
type streams struct {
	in io.Reader
	// out has a guard before it if it is a terminal.
	out, err io.Writer
	// width is the number of columns of out; 0 if it is no terminal.
	width int
	// errTerminal is set when err is a terminal, where progress can be a bar.
	errTerminal bool
}

func standardStreams() *streams {
	s := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, errTerminal: term.IsTerminal(int(os.Stderr.Fd()))}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		s.width = width
		s.out = &text.Guard{To: os.Stdout}
	}
	return s
}

// raw is out without the guard, for the programs that we run.
func (s *streams) raw() io.Writer {
	if g, ok := s.out.(*text.Guard); ok {
		return g.To
	}
	return s.out
}

// columns is how wide output is to be: what COLUMNS says, else the terminal's width, 0 if neither is known.
func (s *streams) columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return s.width
}

// close writes what a guard still holds.
func (s *streams) close() {
	if g, ok := s.out.(*text.Guard); ok {
		_ = g.Close() // the end of an unfinished sequence, at the end of the program
	}
}

// load reads a recording from a file, or from standard input if that is called "-".
func (s *streams) load(file string) (*trace.Recording, error) { return session.Load(file, s.in, s) }

// readInput reads a file, or standard input if that is called "-".
func (s *streams) readInput(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(s.in)
	}
	return os.ReadFile(name)
}

// Notice is notice, for those who report to these streams: see session.Reporter.
func (s *streams) Notice(format string, args ...any) { s.notice(format, args...) }

// Building shows the progress of a build.
func (s *streams) Building() session.BuildReporter { return program.NewDisplay(s.err, s.errTerminal) }

// notice tells the user something that is not part of the result. What comes from a server, a
// file or a client cannot command the terminal.
func (s *streams) notice(format string, args ...any) {
	fmt.Fprintln(s.err, text.EscapeLines(fmt.Sprintf(format, args...)))
}

// writeJSON writes a value for other programs.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
