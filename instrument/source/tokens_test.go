package source

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// classOf returns the type that Tokens should give to a token of chroma's lexer. The
// lexer also distinguishes kinds of comments, strings and numbers. Constants, such as
// nil, get the type Keyword.
func classOf(t chroma.TokenType) chroma.TokenType {
	switch {
	case t.InCategory(chroma.Comment):
		return chroma.Comment
	case t == chroma.KeywordType, t == chroma.NameFunction, t == chroma.NameBuiltin:
		return t
	case t.InCategory(chroma.Keyword):
		return chroma.Keyword
	case t.InSubCategory(chroma.LiteralString):
		return chroma.LiteralString
	case t.InSubCategory(chroma.LiteralNumber):
		return chroma.LiteralNumber
	}
	return chroma.Text
}

// classes returns the class of each byte.
func classes(tokens []chroma.Token) (all []chroma.TokenType) {
	for _, token := range tokens {
		for range len(token.Value) {
			all = append(all, classOf(token.Type))
		}
	}
	return all
}

// byDesign reports whether a difference between Tokens and chroma's lexer is intended. The
// lexer ignores the token before a name, and splits 0o17.
func byDesign(name string, before string, is, chromas chroma.TokenType) bool {
	switch {
	case strings.HasSuffix(before, "."): // a field or a method with a predeclared name
		return (chromas == chroma.KeywordType || chromas == chroma.Keyword) && is == chroma.Text ||
			chromas != chroma.Text && types.Universe.Lookup(name) != nil && is == chroma.NameFunction
	case name == "comparable" || is == chroma.KeywordType && chromas == chroma.NameBuiltin: // a conversion names a type
		return is == chroma.KeywordType
	}
	return is == chroma.LiteralNumber && name[0] == 'o' && strings.HasSuffix(before, "0")
}

func TestTokensAreThoseOfChroma(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"numbers":  "0 1 42 0755 0x1F 0XfF_0 0b101 1_000 1. 1.5 .5 1e9 1E+9 1.5e-3 .5e3 3i x[1:2] a...5",
		"names":    "len(x) len string(x) string func(a int) f(x) f (x) _x1 x.string x.len(y) x.nil goto gone nil true comparable",
		"strings":  "\"a\\\"b\\\\\" `raw\n\"` 'x' '\\'' '\"' '\\x41' 'é' \"// no comment\" \"\" ``",
		"comments": "a // b\n/* c\n * d */ e /**/ f /*/ g */ x /= 2 //go:build linux\n//",
		"signs":    "a<-b; c &^= d; e := *f; g... /h; ~int | x{}[i]\n\n\t\n",
		"empty":    "",
	}
	for _, pattern := range []string{"*.go", "../../ui/web/c*.go", "../probe/values.go", "../../ui/web/page/bundle/main.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s to compare: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
		}
	}
	for name, text := range texts {
		iterator, err := lexers.Get("go").Tokenise(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		got, want := classes(Tokens(text)), classes(iterator.Tokens())
		if len(got) != len(text) || len(want) != len(text) {
			t.Fatalf("%s: the tokens have %d bytes, and chroma's tokens %d, expected %d", name, len(got), len(want), len(text))
		}
		for at := 0; at < len(text); at++ {
			end := at
			for end < len(text) && got[end] != want[end] && got[end] == got[at] && want[end] == want[at] {
				end++
			}
			if end > at && !byDesign(text[at:end], text[:at], got[at], want[at]) {
				t.Errorf("%s: %q in %q is %v, expected %v", name, text[at:end], text[max(0, at-20):min(len(text), end+20)], got[at], want[at])
			}
			at = max(at, end-1)
		}
	}
}

// TestTokensOfWhatChromaCutsApart checks texts that are one token for Go, but that
// chroma's lexer reads differently.
func TestTokensOfWhatChromaCutsApart(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]chroma.TokenType{
		"0o17": chroma.LiteralNumber, "089i": chroma.LiteralNumber, "1.e3": chroma.LiteralNumber, "1_000.5": chroma.LiteralNumber, "1.5i": chroma.LiteralNumber, "0x1p-2": chroma.LiteralNumber,
		"`{{if .A}}b{{end}}`": chroma.LiteralString, "`a`": chroma.LiteralString,
		"any": chroma.KeywordType, "é": chroma.Text, "nil": chroma.KeywordConstant,
		// incomplete source, as of a file that someone is editing
		"/* a": chroma.Comment, "`a": chroma.LiteralString, "\"a": chroma.LiteralString, "\xff\x00 \ufeff": chroma.Text,
	} {
		if got, want := Tokens(text), []chroma.Token{{Type: kind, Value: text}}; !slices.Equal(got, want) {
			t.Errorf("Tokens(%q) = %v, expected %v", text, got, want)
		}
	}
	if got := Tokens("é(x)"); got[0] != (chroma.Token{Type: chroma.NameFunction, Value: "é"}) {
		t.Errorf("the token of the called name is %v, expected NameFunction", got[0])
	}
}

func FuzzTokens(f *testing.F) {
	for _, text := range []string{"", "f(x)", "/* a", "'\\", "\ufeffx", "//line a:1\nx\xff", "\"\n", "1_", "`a\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\r", "")
		var joined strings.Builder
		for _, token := range Tokens(text) {
			if token.Value == "" {
				t.Errorf("%q has an empty token", text)
			}
			joined.WriteString(token.Value)
		}
		if joined.String() != text {
			t.Errorf("the joined tokens of %q are %q, expected the same text", text, joined.String())
		}
	})
}

// TestHighlight checks the style of each type of token that has a style.
func TestHighlight(t *testing.T) {
	mark := func(sign string) lipgloss.Style {
		return lipgloss.NewStyle().Transform(func(s string) string { return sign + s + sign })
	}
	p := Palette{Comment: mark("/"), Keyword: mark("!"), String: mark("'"), Number: mark("#"), Declared: mark("*")}
	got := strings.Join(p.Highlight("\t// a\nfunc F(s string) {\nreturn g(\"b\", 'c', 3, nil)\n\x1b\n"), "\n")
	want := "    /// a/\n!func! *F*(s !string!) {\n!return! *g*('\"b\"', ''c'', #3#, !nil!)\n\ufffd"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
