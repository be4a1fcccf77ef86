package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/usage"
)

var languages = []string{"en", "zh"}

// addLanguageFlag adds --lang, spelled the same in every command that has it. The
// default is the language of the locale.
func addLanguageFlag(command *cobra.Command, lang *string) {
	command.Flags().StringVar(lang, "lang", "", "language of titles and notes: en or zh (default: the locale's)")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
}

// language returns the language that the flag asks for, or, without it, the locale.
func language(flag string) (string, error) {
	switch flag {
	case "en", "zh":
		return flag, nil
	case "":
		return localeLanguage(os.Getenv), nil
	}
	return "", usage.Errorf("unknown language %q: expected en or zh", flag)
}

// localeLanguage is the language of the messages in the environment's locale: the
// first of these variables that is set counts, as POSIX has it.
func localeLanguage(getenv func(string) string) string {
	if strings.HasPrefix(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")), "zh") {
		return "zh"
	}
	return "en"
}

// asciiLocale tells whether the locale says that the terminal shows nothing but ASCII. Where no
// locale is set, nearly all terminals show UTF-8 today.
func asciiLocale(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf")
}
