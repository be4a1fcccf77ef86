package render

import "github.com/kubeapitrace/apitrace/view"

// glyphs are the signs of a drawing. Each set keeps the widths: branches are three
// columns wide.
type glyphs struct {
	branch, last string // before a child
	line, blank  string // before the lines below a child
	dash, dashed string // between a step and its caller: called directly, through folded calls
	view.Signs
}

var unicodeGlyphs = glyphs{
	branch: "├─ ", last: "└─ ", line: "│  ", blank: "   ", dash: "─", dashed: "┄",
	Signs: view.SignsFor(false),
}

var asciiGlyphs = glyphs{
	branch: "+- ", last: "`- ", line: "|  ", blank: "   ", dash: "-", dashed: ".",
	Signs: view.SignsFor(true),
}
