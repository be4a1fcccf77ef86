package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// streams are where output goes: results to out, progress and notices to err.
type streams struct {
	out, err io.Writer
	// width is the number of columns of out; 0 if it is no terminal.
	width int
	// errTerminal is set when err is a terminal, where progress can be a bar.
	errTerminal bool
}

func standardStreams() *streams {
	s := &streams{out: os.Stdout, err: os.Stderr, errTerminal: term.IsTerminal(int(os.Stderr.Fd()))}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		s.width = width
	}
	return s
}

// notice tells the user something that is not part of the result.
func (s *streams) notice(format string, args ...any) {
	fmt.Fprintf(s.err, format+"\n", args...)
}
