package web

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/kubeapitrace/apitrace/instrument/source"
)

// highlight splits the source of a function into lines, and each line into tokens.
func highlight(f *source.Function) []SourceLine {
	text := strings.ReplaceAll(f.Text, "\r", "")
	var lines []SourceLine
	for i, tokens := range chroma.SplitTokensIntoLines(source.Tokens(text)) {
		line := SourceLine{Number: f.First + i, Tokens: []Token{}}
		for _, token := range tokens {
			if part := strings.TrimSuffix(token.Value, "\n"); part != "" {
				line.Tokens = append(line.Tokens, Token{tokenKinds[token.Type], part})
			}
		}
		lines = append(lines, line)
	}
	return lines[:min(len(lines), max(f.Last-f.First+1, 0))]
}

// tokenKinds maps the token types of source.Tokens
// to kinds. Other text has the kind "".
var tokenKinds = map[chroma.TokenType]string{
	chroma.Comment: "comment", chroma.Keyword: "keyword", chroma.KeywordConstant: "keyword", chroma.KeywordType: "type",
	chroma.LiteralString: "string", chroma.LiteralNumber: "number", chroma.NameFunction: "function", chroma.NameBuiltin: "builtin",
}
