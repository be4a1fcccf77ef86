// Package message holds what apitrace says to people in the languages that it speaks.
package message

import "fmt"

// A Text is something for people to read in two languages.
type Text struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

// In returns the text in the language "en" or "zh", or in English if it has no Chinese.
func (t Text) In(lang string) string {
	if lang == "zh" && t.Zh != "" {
		return t.Zh
	}
	return t.En
}

// Format returns the text in a language, with its arguments in the places of its verbs.
func (t Text) Format(lang string, args ...any) string { return fmt.Sprintf(t.In(lang), args...) }
