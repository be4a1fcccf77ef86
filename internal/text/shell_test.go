package text

import (
	"os/exec"
	"testing"
)

// TestShellWord checks that a shell reads the result as the word itself, and
// that a word without special characters is not quoted.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"":                         "''",
		"./cmd/server":             "./cmd/server",
		"example.org/x@v1.2.3":     "example.org/x@v1.2.3",
		"~/mine":                   "'~/mine'",
		"two words":                "'two words'",
		"it's":                     `'it'\''s'`,
		"a\nb":                     "'a\nb'",
		"$HOME`date`\\\"*?;&|<>()": "'$HOME`date`\\\"*?;&|<>()'",
		"版本":                       "'版本'",
	} {
		got := ShellWord(word)
		if got != want {
			t.Errorf("ShellWord(%q) = %s, expected %s", word, got, want)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		if err != nil || string(out) != word {
			t.Errorf("a shell reads %s as %q (%v), expected %q", got, out, err, word)
		}
	}
}
