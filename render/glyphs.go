package render

// glyphs are the signs of a drawing. Each set keeps the widths: branches are
// three columns wide.
type glyphs struct {
	branch, last                string // before a child
	line, blank                 string // before what is below a child
	dash, dashed                string // what connects a step with its caller: directly, through folded calls
	folded, times               string
	into, from, arrow, ellipsis string
	failed, micro, mark, bar    string
	noSpan                      string // before what one release has no span for
}

var unicodeGlyphs = glyphs{
	branch: "├─ ", last: "└─ ", line: "│  ", blank: "   ", dash: "─", dashed: "┄",
	folded: "⋯", times: "×", into: "▸", from: "←", arrow: "→", ellipsis: "…", failed: "✗", micro: "µs", mark: "◆", bar: "▇", noSpan: "◌",
}

var asciiGlyphs = glyphs{
	branch: "+- ", last: "`- ", line: "|  ", blank: "   ", dash: "-", dashed: ".",
	folded: "..", times: "x", into: ">", from: "<-", arrow: "->", ellipsis: "~", failed: "!", micro: "us", mark: "*", bar: "#", noSpan: ".",
}
