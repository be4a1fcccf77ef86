package render

import "github.com/kubeapitrace/apitrace/view"

// glyphs are the signs of a drawing. Branches, lines and blanks are three
// columns wide in each set.
type glyphs struct {
	branch, last string // before a child
	line, blank  string // before the lines below a child
	dash, dashed string // in branch and last; dashed if folded calls are between the two steps
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
