package text

import (
	"bytes"
	"io"
	"regexp"
	"sync"
	"unicode/utf8"
)

// A Guard stands before a terminal. It lets through text, the sequences that only choose
// colours, and links to web pages, and escapes whatever else could move the cursor, reorder a line or command the
// terminal: names, paths and errors come from servers, files and clients. Views escape
// what they show where they choose it; the guard is for what any output writes as it is,
// such as JSON. Several goroutines may write.
type Guard struct {
	// To is the terminal.
	To io.Writer

	mu sync.Mutex
	// rest is the beginning of a character or of a sequence whose end was not written yet.
	rest []byte
}

var (
	// allowed is a complete sequence that chooses colours and styles (SGR), or begins or ends
	// a link (OSC 8) to a page of the web.
	allowed = regexp.MustCompile("^\x1b(?:\\[[0-9;:]*m|\\]8;;(?:https://[!-~]*)?(?:\a|\x1b\\\\))")
	// begun is what may become one.
	begun = regexp.MustCompile("^\x1b(?:\\[[0-9;:]{0,40}|\\](?:8?|8;|8;;[!-~]{0,400}\x1b?))?$")
)

// Harmless returns what a Guard lets through of a whole text, for those who draw on a terminal by other means.
func Harmless(s string) string {
	out, rest := harmless([]byte(s))
	return out + EscapeLines(string(rest))
}

// Write implements io.Writer.
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

// Close writes what was begun and never ended.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := io.WriteString(g.To, EscapeLines(string(g.rest)))
	g.rest = nil
	return err
}

// harmless escapes what a terminal must not see, and returns what it cannot judge yet.
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

// wholeRunes returns how much of the data ends with a whole character.
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
