package text

import "strings"

// ShellWord quotes a word for a POSIX shell, unless the word has only ASCII letters, digits
// and some other characters without a special meaning.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special reports whether a character may have a special meaning in a shell.
func special(r rune) bool {
	return !strings.ContainsRune("-_./=:@%+,", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}
