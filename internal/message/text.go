package message

// A Text is a text in two languages.
type Text struct {
	En string `yaml:"en"`
	Zh string `yaml:"zh"`
}

// In returns the Chinese text for "zh", if there is one. Otherwise it returns the
// English text.
func (t Text) In(lang string) string {
	if lang == "zh" && t.Zh != "" {
		return t.Zh
	}
	return t.En
}

// String returns the English text.
func (t Text) String() string { return t.En }

// Localize returns the text in the printer's language.
func (t Text) Localize(p Printer) string { return t.In(p.Lang()) }
