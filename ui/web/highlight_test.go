package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeapitrace/apitrace/instrument/source"
)

// TestHighlight splits a function with tokens
// of every kind. One token spans two lines.
func TestHighlight(t *testing.T) {
	f := &source.Function{First: 7, Last: 11, Text: "// F counts.\r\nfunc F(s string) int {\r\n\treturn len(s) + g(`a\r\nb`, 3, nil)\r\n}\r\nvar x int\r\n"}
	want := []SourceLine{
		{Number: 7, Tokens: []Token{{"comment", "// F counts."}}},
		{Number: 8, Tokens: []Token{{"keyword", "func"}, {"", " "}, {"function", "F"}, {"", "(s "}, {"type", "string"}, {"", ") "}, {"type", "int"}, {"", " {"}}},
		{Number: 9, Tokens: []Token{{"", "\t"}, {"keyword", "return"}, {"", " "}, {"builtin", "len"}, {"", "(s) + "}, {"function", "g"}, {"", "("}, {"string", "`a"}}},
		{Number: 10, Tokens: []Token{{"string", "b`"}, {"", ", "}, {"number", "3"}, {"", ", "}, {"keyword", "nil"}, {"", ")"}}},
		{Number: 11, Tokens: []Token{{"", "}"}}},
	}
	if diff := cmp.Diff(want, highlight(f)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
