package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// highlight splits the source of a function into lines, and each line into tokens by their kind.
func highlight(f *source.Function) ([]SourceLine, error) {
	text := strings.ReplaceAll(f.Text, "\r\n", "\n")
	tokens, ok := goTokens(text)
	if !ok {
		var err error
		if tokens, err = chromaTokens(text); err != nil {
			return nil, message.Errorf("highlighting %s: %w", f.Name, err)
		}
	}
	var lines []SourceLine
	line := SourceLine{Number: f.First, Tokens: []Token{}}
	for _, token := range tokens {
		for rest := token.Text; rest != ""; {
			part, after, ends := strings.Cut(rest, "\n")
			rest = after
			last := len(line.Tokens) - 1
			switch {
			case part == "":
			case last >= 0 && line.Tokens[last].Kind == token.Kind:
				line.Tokens[last].Text += part
			default:
				line.Tokens = append(line.Tokens, Token{token.Kind, part})
			}
			if ends {
				lines = append(lines, line)
				line = SourceLine{Number: line.Number + 1, Tokens: []Token{}}
			}
		}
	}
	if len(line.Tokens) > 0 {
		lines = append(lines, line)
	}
	return lines[:min(len(lines), max(f.Last-f.First+1, 0))], nil
}

// chromaTokens returns the tokens of any text. It takes a hundred times as long as goTokens, and the page of a
// recording has thousands of functions.
func chromaTokens(text string) ([]Token, error) {
	found, err := lexers.Get("go").Tokenise(nil, text)
	if err != nil {
		return nil, err
	}
	var tokens []Token
	for _, token := range found.Tokens() {
		tokens = append(tokens, Token{tokenKind(token.Type), token.Value})
	}
	return tokens, nil
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

// goTokens returns the tokens of Go source that compiles, as chromaTokens does. It reports false for what it leaves to
// chroma: raw strings that may be templates, and lone carriage returns.
func goTokens(text string) (tokens []Token, ok bool) {
	if strings.Contains(text, "\r") {
		return nil, false
	}
	plain := 0 // where the text without a kind begins that no token has yet
	for at := 0; at < len(text); {
		kind, size := goToken(text[at:])
		size = min(size, len(text)-at) // of a comment or a raw string without an end
		if text[at] == '`' && strings.Contains(text[at:at+size], "{{") {
			return nil, false
		}
		if kind != "" {
			if plain < at {
				tokens = append(tokens, Token{"", text[plain:at]})
			}
			tokens = append(tokens, Token{kind, text[at : at+size]})
			plain = at + size
		}
		at += size
	}
	if plain < len(text) {
		tokens = append(tokens, Token{"", text[plain:]})
	}
	return tokens, true
}

// goToken returns the kind and the size of the first token of a text that is not empty.
func goToken(text string) (kind string, size int) {
	switch first := text[0]; {
	case strings.HasPrefix(text, "//"):
		return "comment", endOf(text, 2, "\n")
	case strings.HasPrefix(text, "/*"):
		return "comment", endOf(text, 2, "*/") + len("*/")
	case first == '"' || first == '\'':
		return "string", quotedSize(text, first)
	case first == '`':
		return "string", endOf(text, 1, "`") + 1
	case isDigit(first) || first == '.' && len(text) > 1 && isDigit(text[1]):
		return "number", numberSize(text)
	case strings.HasPrefix(text, "..."):
		return "", 3
	}
	if first, size := utf8.DecodeRuneInString(text); first != '_' && !unicode.IsLetter(first) {
		return "", size
	}
	size = strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if size < 0 {
		size = len(text)
	}
	return nameKind(text[:size], text[size:]), size
}

// nameKind returns the kind of a name, which depends on what follows it.
func nameKind(name, after string) string {
	kind := goNames[name]
	switch {
	case kind == "keyword":
		return kind
	case kind != "" && name != "any" && strings.HasPrefix(after, "("):
		return "builtin"
	case kind == "type":
		return kind
	case name[0] < utf8.RuneSelf && strings.HasPrefix(strings.TrimLeft(after, " \t\n"), "("):
		return "function"
	}
	return ""
}

// goNames are the names with a kind of their own. A builtin is one where it is called, and so is a type.
var goNames = func() map[string]string {
	all := map[string]string{}
	for kind, names := range map[string]string{
		"keyword": `import package var func struct map chan type interface const break default select case defer go else goto switch
			fallthrough if range continue for return true false iota nil`,
		"builtin": "print println panic recover close complex real imag len cap append copy delete new make clear min max",
		"type": `uint uint8 uint16 uint32 uint64 int int8 int16 int32 int64 float float32 float64 complex64 complex128 byte rune string bool
			error uintptr any`,
	} {
		for _, name := range strings.Fields(names) {
			all[name] = kind
		}
	}
	return all
}()

// endOf returns where a text goes on to say end, after the first bytes; its length if it does not.
func endOf(text string, from int, end string) int {
	if at := strings.Index(text[from:], end); at >= 0 {
		return from + at
	}
	return len(text)
}

// quotedSize returns the size of a string or a character at the beginning of a text.
func quotedSize(text string, quote byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberSize returns the size of a number at the beginning of a text. Letters that chroma does not take for a part of a
// number, as those of 0o17, are not.
func numberSize(text string) int {
	run := func(from int, of string) int {
		for from < len(text) && strings.IndexByte(of, text[from]) >= 0 {
			from++
		}
		return from
	}
	const (
		decimal     = "0123456789"
		hexadecimal = decimal + "abcdefABCDEF_"
	)
	// exponent returns the end of an exponent, or from if there is none.
	exponent := func(from int) int {
		if from == len(text) || text[from] != 'e' && text[from] != 'E' {
			return from
		}
		sign := run(from+1, "+-")
		if end := run(sign, decimal); sign <= from+2 && end > sign {
			return end
		}
		return from
	}
	end := run(0, decimal)
	switch {
	case end < len(text) && text[end] == '.':
		whole := end + 1
		if end = run(whole, decimal); end > whole {
			end = max(end, exponent(end))
		}
	case exponent(end) > end:
		return exponent(end)
	case end == 1 && text[0] == '0' && len(text) > 2 && text[1]|' ' == 'x' && run(2, hexadecimal) > 2:
		return run(2, hexadecimal)
	case end == 1 && text[0] == '0' && len(text) > 2 && text[1] == 'b' && run(2, "01_") > 2:
		return run(2, "01_")
	case text[0] != '0' && end < len(text) && text[end] == '_':
		return run(end, decimal+"_")
	}
	if end < len(text) && text[end] == 'i' {
		end++
	}
	return end
}
