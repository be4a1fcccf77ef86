package output

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/usage"
)

// Languages are those that apitrace speaks.
var Languages = []string{"en", "zh"}

// Language returns the language that is asked for, "en" or "zh"; for "", that of the locale.
func Language(asked string) (string, error) {
	switch asked {
	case "en", "zh":
		return asked, nil
	case "":
		return localeLanguage(os.Getenv), nil
	}
	return "", usage.Errorf("unknown language %q: expected en or zh", asked)
}

// LanguageOf returns the language that the arguments of a command ask for, whatever else they say: help and
// errors are in it, too. Of a client's arguments, which follow "--", none counts.
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

// localeLanguage is the language of the messages in the environment's locale: the
// first of these variables that is set counts, as POSIX has it.
func localeLanguage(getenv func(string) string) string {
	if strings.HasPrefix(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")), "zh") {
		return "zh"
	}
	return "en"
}

// ASCIILocale tells whether the locale says that the terminal shows nothing but ASCII. Where no
// locale is set, nearly all terminals show UTF-8 today.
func ASCIILocale(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf")
}
