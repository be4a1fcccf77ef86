package web

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/kubeapitrace/apitrace/instrument/source"
)

// highlight splits the source of a function into lines, and each line into tokens by their kind.
func highlight(f *source.Function) []SourceLine {
	text := strings.ReplaceAll(f.Text, "\r", "")
	var lines []SourceLine
	for i, tokens := range chroma.SplitTokensIntoLines(source.Tokens(text)) {
		line := SourceLine{Number: f.First + i, Tokens: []Token{}}
		for _, token := range tokens {
			if part := strings.TrimSuffix(token.Value, "\n"); part != "" {
				line.Tokens = append(line.Tokens, Token{tokenKind(token.Type), part})
			}
		}
		lines = append(lines, line)
	}
	return lines[:min(len(lines), max(f.Last-f.First+1, 0))]
}

func tokenKind(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "comment"
	case t == chroma.KeywordType:
		return "type"
	case t.InCategory(chroma.Keyword):
		return "keyword"
	case t.InSubCategory(chroma.LiteralString):
		return "string"
	case t.InSubCategory(chroma.LiteralNumber):
		return "number"
	case t == chroma.NameFunction:
		return "function"
	case t == chroma.NameBuiltin:
		return "builtin"
	}
	return ""
}
