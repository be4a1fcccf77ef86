package web

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// merged joins neighbours of one kind, as highlight does.
func merged(tokens []Token) (all []Token) {
	for _, token := range tokens {
		if last := len(all) - 1; last >= 0 && all[last].Kind == token.Kind {
			all[last].Text += token.Text
		} else {
			all = append(all, token)
		}
	}
	return all
}

func TestGoTokensAreThoseOfChroma(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"numbers":  "0 1 42 0755 0x1F 0XfF_0 0b101 0o17 089 1_000 1_000.5 1. 1.5 .5 1e9 1E+9 1.5e-3 .5e3 1.e3 3i 1.5i x[1:2] a...5",
		"names":    "len(x) len (x) len string(x) string any(x) any func(a int) f(x) f (x) f\n(x) é(x) _x1 x.string x.len(y) goto gone nil true",
		"strings":  "\"a\\\"b\\\\\" `raw\n\"` 'x' '\\'' '\"' '\\x41' 'é' \"// no comment\" \"\" ``",
		"comments": "a // b\n/* c\n * d */ e /**/ f /*/ g */ x /= 2 //go:build linux\n//",
		"signs":    "a<-b; c &^= d; e := *f; g... /h; ~int | x{}[i]\n\n\t\n",
		"empty":    "",
	}
	files, err := filepath.Glob("c*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files to compare: %v", err)
	}
	for _, file := range append(files, "../../instrument/probe/values.go", "../../render/page/bundle/main.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for name, text := range texts {
		want, err := chromaTokens(text)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := goTokens(text)
		if want = merged(want); !ok || !slices.Equal(merged(got), want) {
			at := 0
			for at < min(len(got), len(want)) && merged(got)[at] == want[at] {
				at++
			}
			t.Errorf("%s: goTokens differs from token %d on:\n%q\nexpected\n%q", name, at, merged(got)[at:min(at+3, len(merged(got)))], want[at:min(at+3, len(want))])
		}
	}
}

func TestGoTokensLeavesTemplatesToChroma(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x := `{{if .A}}b{{end}}`", "a\rb"} {
		if tokens, ok := goTokens(text); ok {
			t.Errorf("goTokens(%q) = %v, expected none", text, tokens)
		}
	}
	for _, text := range []string{"/* a", "`a", "\"a", "'\\"} { // as a text that someone is editing
		if tokens, ok := goTokens(text); !ok || len(tokens) != 1 || tokens[0].Text != text {
			t.Errorf("goTokens(%q) = %v, expected one token", text, cmp.Or(strings.Join(kindsOf(tokens), " "), "none"))
		}
	}
}

func kindsOf(tokens []Token) (kinds []string) {
	for _, token := range tokens {
		kinds = append(kinds, token.Kind)
	}
	return kinds
}
