// Package redact removes secrets, and the names of people and machines, from texts that other
// people will see: the debug log and problem reports.
package redact

import (
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A Redactor replaces secrets in texts.
// It recognizes a secret by its form, or by a name such as "token" before it.
type Redactor struct {
	// names are the names of the user, the home folder and the machine, with their replacements.
	names []name
}

// A name is replaced wherever pattern matches.
type name struct {
	pattern     *regexp.Regexp
	replacement string
}

// Local returns the Redactor of this machine and its user.
var Local = sync.OnceValue(func() *Redactor {
	home, _ := os.UserHomeDir()
	host, _ := os.Hostname()
	users := []string{os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("SUDO_USER")}
	if u, err := user.Current(); err == nil {
		users = append(users, u.Username)
	}
	return newRedactor(home, host, users...)
})

// newRedactor returns a Redactor that also replaces these names. It ignores empty names.
func newRedactor(home, host string, users ...string) *Redactor {
	r := &Redactor{}
	add := func(text, replacement string) {
		r.names = append(r.names, name{regexp.MustCompile(`(^|[^\pL\pN_])` + regexp.QuoteMeta(text) + `($|[^\pL\pN_])`), "${1}" + replacement + "${2}"})
	}
	if home = filepath.Clean(home); len(home) > 1 {
		add(home, "~")
	}
	for _, user := range users {
		if user != "" && user != "root" { // root is not the name of a person
			add(user, "USER")
		}
	}
	if host != "" && host != "localhost" {
		add(host, "HOST")
	}
	return r
}

// hidden replaces a secret.
const hidden = "(removed)"

// secretName matches parts of names that have secret values.
const secretName = `(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|key-data|certificate-data|cookie|authorization|otlp_(?:\w+_)?headers)`

// forms are the forms of secrets, of names before secrets, and of home folders.
var forms = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|$)`), hidden},
	{regexp.MustCompile(`(?i)\b(bearer|basic|digest|negotiate)(\s+)[^\s"']{4,}`), "${1}${2}" + hidden},
	{regexp.MustCompile(`\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?`), hidden}, // JSON Web Token
	{regexp.MustCompile(`\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16})\b`), hidden},
	{regexp.MustCompile(`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`), hidden},     // bootstrap token
	{regexp.MustCompile(`(\w://)[^\s/@"']+@`), "${1}" + hidden + "@"}, // user and password of a URL
	{regexp.MustCompile(`(?i)([\w.-]*` + secretName + `[\w.-]*\\?["']?\s*(?:=|:)\s*)(\\"(?:[^"\\]|\\[^"])*\\"|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;&]+)`), "${1}" + hidden},
	{regexp.MustCompile(`(?i)(--?[\w-]*` + secretName + `[\w-]*\s+)[^\s-]\S*`), "${1}" + hidden},
	{regexp.MustCompile(`(^|[\s"'=:(\[,])(?:/home|/Users|/var/home)/[^/\s"']+`), "${1}~"},
}

// Text returns the text without secrets, and without the names of the user, the machine and
// home folders.
func (r *Redactor) Text(text string) string {
	for _, n := range r.names {
		// A match includes the characters around the name.
		// Two neighbouring names share a character, so the first replacement skips the
		// second name.
		text = n.pattern.ReplaceAllString(n.pattern.ReplaceAllString(text, n.replacement), n.replacement)
	}
	for _, f := range forms {
		text = f.pattern.ReplaceAllString(text, f.replacement)
	}
	return long.ReplaceAllStringFunc(text, func(word string) string {
		if isRandom(word) {
			return hidden
		}
		return word
	})
}

// long matches a word that may be a base64 key or a path.
var long = regexp.MustCompile(`[A-Za-z0-9+/_-]{64,}={0,2}`)

// isRandom reports whether a word looks like a key, not like a path.
// A key has digits, small letters, capitals, and few slashes.
func isRandom(word string) bool {
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.ContainsAny(word, digits) && strings.ContainsAny(word, lower) && strings.ContainsAny(word, upper) &&
		strings.Count(word, "/")*16 < len(word)
}

// Setting returns an environment variable as "NAME=value", without secrets.
// If the variable's name suggests a secret, the whole value is hidden.
func (r *Redactor) Setting(name, value string) string {
	if value != "" && secret.MatchString(name) {
		return name + "=" + hidden
	}
	return strings.TrimSpace(r.Text(name + "=" + value))
}

// secret matches names of secret settings and attributes of the debug log.
var secret = regexp.MustCompile(`(?i)` + secretName + `|headers|_key\b`)
