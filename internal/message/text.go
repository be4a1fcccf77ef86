// Package message holds what apitrace says to people in the languages that it speaks.
package message

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
