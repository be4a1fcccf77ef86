package text

import (
	"bytes"
	"testing"
)

func TestGuard(t *testing.T) {
	const in = "plain é 世\tx\n\x1b[1;38;2;1;2;3mred\x1b[m \x1b]8;;https://example.org/a#L1\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x1b]0;title\a \u009b1m \u202eabc\u2066 \xff\xc3 \r\x7f\x1b[99"
	const want = "plain é 世\tx\n\x1b[1;38;2;1;2;3mred\x1b[m \x1b]8;;https://example.org/a#L1\x1b\\link\x1b]8;;\x1b\\ \\x1b[2J\\x1b]0;title\\a \\u009b1m \\u202eabc\\u2066 \\xff\\xc3 \\r\\x7f\\x1b[99"
	// The result must not depend on the division into pieces.
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
			t.Fatalf("written in pieces of %d bytes: got %q, expected %q", size, out.String(), want)
		}
	}
}

func TestHarmless(t *testing.T) {
	const own = "\x1b[1;38;5;25mlayer\x1b[m \x1b]8;;https://example.org/x\x1b\\link\x1b]8;;\x1b\\\nnext"
	if got := Harmless(own); got != own {
		t.Errorf("Harmless of allowed sequences = %q, expected the same text", got)
	}
	for in, want := range map[string]string{
		"a\x1b]0;owned\ab": `a\x1b]0;owned\ab`, "\x1b[2Jx": `\x1b[2Jx`, "gpj\u202eexe\u009b": `gpj\u202eexe\u009b`, "cut \x1b[3": `cut \x1b[3`, "bad\xff": `bad\xff`,
	} {
		if got := Harmless(in); got != want {
			t.Errorf("Harmless(%q) = %q, expected %q", in, got, want)
		}
	}
}
