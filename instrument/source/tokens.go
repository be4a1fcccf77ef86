package source

import (
	"go/scanner"
	"go/token"
	"go/types"

	"github.com/alecthomas/chroma/v2"
)

// Tokens splits Go source into tokens of these types of chroma: Comment, Keyword,
// KeywordConstant, KeywordType, LiteralString, LiteralNumber, NameBuiltin, NameFunction,
// and Text for all other text. Go's scanner takes a hundredth of the time of chroma's
// lexer, and a recording's page has thousands of functions. The text must not contain
// carriage returns, which the scanner drops.
func Tokens(text string) []chroma.Token {
	var tokens []chroma.Token
	end := 0 // end of the last token in tokens
	add := func(kind chroma.TokenType, from, to int) {
		if end < from {
			tokens = append(tokens, chroma.Token{Type: chroma.Text, Value: text[end:from]})
		}
		tokens = append(tokens, chroma.Token{Type: kind, Value: text[from:to]})
		end = to
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	// A name's type depends on the tokens around it.
	name, nameAt, before := "", 0, token.ILLEGAL
	for last := token.ILLEGAL; last != token.EOF; {
		pos, kind, literal := s.Scan()
		if last == token.IDENT {
			if kind := typeOfName(name, before == token.PERIOD, kind == token.LPAREN); kind != chroma.Text {
				add(kind, nameAt, nameAt+len(name))
			}
		}
		at := file.Offset(pos)
		switch {
		case kind == token.IDENT:
			name, nameAt, before = literal, at, last
		case kind.IsKeyword():
			add(chroma.Keyword, at, at+len(literal))
		case kind == token.STRING, kind == token.CHAR:
			add(chroma.LiteralString, at, at+len(literal))
		case kind.IsLiteral():
			add(chroma.LiteralNumber, at, at+len(literal))
		case kind == token.COMMENT:
			add(chroma.Comment, at, at+len(literal))
		}
		last = kind
	}
	if end < len(text) {
		tokens = append(tokens, chroma.Token{Type: chroma.Text, Value: text[end:]})
	}
	return tokens
}

// typeOfName returns a name's type. A predeclared name of Go has its own type,
// except after a dot. A built-in function has its own type only if it is called.
func typeOfName(name string, selected, called bool) chroma.TokenType {
	if !selected {
		switch types.Universe.Lookup(name).(type) {
		case *types.TypeName:
			return chroma.KeywordType
		case *types.Const, *types.Nil:
			return chroma.KeywordConstant
		case *types.Builtin:
			if called {
				return chroma.NameBuiltin
			}
		}
	}
	if called {
		return chroma.NameFunction
	}
	return chroma.Text
}
