package text

import (
	"bytes"
	"io"
	"regexp"
	"sync"
	"unicode/utf8"
)

// A Guard protects a terminal from names, paths and errors, which come from
// servers, files and clients. It passes text, color sequences and links to web
// pages. It escapes everything else that could move the cursor, reorder a line
// or control the terminal. Views escape such texts themselves. A Guard is for
// output that is written unchanged, such as JSON. Several goroutines may write
// to a Guard at once.
type Guard struct {
	// To is the terminal.
	To io.Writer

	mu sync.Mutex
	// rest is the beginning of a character or sequence that the next Write may
	// continue.
	rest []byte
}

var (
	// allowed matches a complete sequence that selects colors and styles
	// (SGR), or that begins or ends a link (OSC 8) to a web page.
	allowed = regexp.MustCompile("^\x1b(?:\\[[0-9;:]*m|\\]8;;(?:https://[!-~]*)?(?:\a|\x1b\\\\))")
	// begun matches the beginning of such a sequence.
	begun = regexp.MustCompile("^\x1b(?:\\[[0-9;:]{0,40}|\\](?:8?|8;|8;;[!-~]{0,400}\x1b?))?$")
)

// Harmless escapes a whole text as a Guard does. It is for output that does not
// go through a Guard.
func Harmless(s string) string {
	out, rest := harmless([]byte(s))
	return out + EscapeLines(string(rest))
}

// Write implements io.Writer. It keeps back an unfinished character or
// sequence at the end.
func (g *Guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	data := append(g.rest, p...)
	out, rest := harmless(data)
	g.rest = bytes.Clone(rest)
	if _, err := io.WriteString(g.To, out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the unfinished rest, escaped.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := io.WriteString(g.To, EscapeLines(string(g.rest)))
	g.rest = nil
	return err
}

// harmless escapes sequences that must not reach a terminal. rest is an
// unfinished character or sequence at the end of the data, which out does not
// have.
func harmless(data []byte) (out string, rest []byte) {
	var b bytes.Buffer
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\x1b')
		switch {
		case n > 0:
			b.WriteString(EscapeLines(string(data[:n])))
			data = data[n:]
		case n < 0:
			end := wholeRunes(data)
			b.WriteString(EscapeLines(string(data[:end])))
			return b.String(), data[end:]
		default:
			if sequence := allowed.Find(data); sequence != nil {
				b.Write(sequence)
				data = data[len(sequence):]
			} else if begun.Match(data) {
				return b.String(), data
			} else {
				b.WriteString(Escape("\x1b"))
				data = data[1:]
			}
		}
	}
	return b.String(), nil
}

// wholeRunes returns the length of the data without an unfinished last
// character.
func wholeRunes(data []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if start := len(data) - back; utf8.RuneStart(data[start]) {
			if !utf8.FullRune(data[start:]) {
				return start
			}
			break
		}
	}
	return len(data)
}
