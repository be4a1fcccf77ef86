package text

import "strings"

// ShellWord quotes a word, unless shells take it literally.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special reports whether a character may mean something to a shell.
func special(r rune) bool {
	return !strings.ContainsRune("-_./=:@%+,", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}
