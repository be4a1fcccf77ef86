package render

// Options set how traces are drawn. The zero value draws the default view in English and in
// plain text, 80 columns wide.
type Options struct {
	Choice
	// Notes adds the guide's note below each key step, once for each function.
	Notes bool
	// Lang is the language of headings and sentences: "en", which is the default, or "zh".
	Lang string
	// Width is the number of columns: 0 means 80. Below 40 no tree can be drawn;
	// less counts as 40. It decides where lines break, never which steps there are.
	Width int
	// Palette is Colours() for a terminal; the zero value is plain text.
	Palette Palette
	// ASCII draws with ASCII characters only. Recorded texts are not changed.
	ASCII bool
	// Hyperlinks makes each place a link to upstream's source. See UseHyperlinks.
	Hyperlinks bool
	// HideError leaves out of the heading which functions made the error of a failed request: an exercise asks for one of them.
	HideError bool
}

func (o *Options) glyphs() glyphs {
	if o.ASCII {
		return asciiGlyphs
	}
	return unicodeGlyphs
}

// columns returns the width of a drawing.
func (o *Options) columns() int {
	const ordinary, least = 80, 40
	if o.Width == 0 {
		return ordinary
	}
	return max(o.Width, least)
}

// StepsPerRequest returns how many steps the default view shows of each of this many requests. It does
// not depend on the width, so that all readers see the same tree.
func StepsPerRequest(requests int) int {
	const alone, together, least = 46, 60, 20
	if requests <= 1 {
		return alone
	}
	return max(least, together/requests)
}
