package render

// glyphs are the signs of a drawing. Each set keeps the widths: branches are
// three columns wide.
type glyphs struct {
	branch, last                string // before a child
	branchOn, lastOn            string // before a child that continues the one before it
	on                          string // the same where there is no branch
	line, blank                 string // before what is below a child
	dash, dashed                string // what connects a step with its caller: directly, through folded calls
	folded, times               string
	into, from, arrow, ellipsis string
	failed, micro, mark, bar    string
	later                       string // before what a write has caused
	noSpan                      string // before what one release has no span for
}

var unicodeGlyphs = glyphs{
	branch: "├─ ", last: "└─ ", branchOn: "├↓ ", lastOn: "└↓ ", on: "↓ ", line: "│  ", blank: "   ", dash: "─", dashed: "┄",
	folded: "⋯", times: "×", into: "▸", from: "←", arrow: "→", ellipsis: "…", failed: "✗", micro: "µs", mark: "◆", bar: "▇", later: "⇢", noSpan: "◌",
}

var asciiGlyphs = glyphs{
	branch: "+- ", last: "`- ", branchOn: "+v ", lastOn: "`v ", on: "v ", line: "|  ", blank: "   ", dash: "-", dashed: ".",
	folded: "..", times: "x", into: ">", from: "<-", arrow: "->", ellipsis: "~", failed: "!", micro: "us", mark: "*", bar: "#", later: "~>", noSpan: ".",
}
