package text

import (
	"bytes"
	"testing"
)

func TestGuard(t *testing.T) {
	const in = "plain é 世\tx\n\x1b[1;38;2;1;2;3mred\x1b[m \x1b]8;;https://example.org/a#L1\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x1b]0;title\a \u009b1m \u202eabc\u2066 \xff\xc3 \r\x7f\x1b[99"
	const want = "plain é 世\tx\n\x1b[1;38;2;1;2;3mred\x1b[m \x1b]8;;https://example.org/a#L1\x1b\\link\x1b]8;;\x1b\\ \\x1b[2J\\x1b]0;title\\a \\u009b1m \\u202eabc\\u2066 \\xff\\xc3 \\r\\x7f\\x1b[99"
	// However it is cut into pieces.
	for size := 1; size <= len(in); size++ {
		var out bytes.Buffer
		g := &Guard{To: &out}
		for rest := []byte(in); len(rest) > 0; {
			n := min(size, len(rest))
			if written, err := g.Write(rest[:n]); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d: %q, expected %q", size, out.String(), want)
		}
	}
}
