package output

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// Languages are the languages of apitrace.
var Languages = []string{"en", "zh"}

// Language returns the requested language, "en" or "zh". For "", it returns the
// language of the locale.
func Language(asked string) (string, error) {
	switch asked {
	case "en", "zh":
		return asked, nil
	case "":
		return localeLanguage(os.Getenv), nil
	}
	return "", message.UsageErrorf("unknown language %q: expected en or zh", asked)
}

// LanguageOf returns the language that a command's arguments select, even if other
// arguments are invalid, because help and errors use the language, too. It ignores a
// client's arguments, which follow "--".
func LanguageOf(args []string, getenv func(string) string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		value, ok := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && slices.Contains(Languages, value) {
			return value
		}
	}
	return localeLanguage(getenv)
}

// localeLanguage returns the locale's language of messages. As in POSIX, the first
// variable that is set counts.
func localeLanguage(getenv func(string) string) string {
	if strings.HasPrefix(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")), "zh") {
		return "zh"
	}
	return "en"
}

// asciiLocale reports whether the locale limits the terminal to ASCII. Without a locale
// it does not: nearly all terminals show UTF-8 today.
func asciiLocale(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf")
}
