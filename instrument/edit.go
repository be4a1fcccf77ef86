package instrument

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// edits collects changes to a text. Offsets refer to the original text.
type edits struct {
	old  []byte
	list []edit
}

type edit struct {
	start, end int // the bytes that text replaces; equal for an insertion
	text       string
}

// insert puts text before the byte at offset. Texts inserted at one offset keep
// the order of the calls.
func (e *edits) insert(offset int, text string) { e.replace(offset, offset, text) }

func (e *edits) replace(start, end int, text string) {
	e.list = append(e.list, edit{start, end, text})
}

// bytes returns the changed text. It panics if edits overlap, which is a bug of the
// rewriter.
func (e *edits) bytes() []byte {
	slices.SortStableFunc(e.list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, ed := range e.list {
		if ed.start < at {
			panic(fmt.Sprintf("overlapping edits at offset %d: %q", ed.start, ed.text))
		}
		out.Write(e.old[at:ed.start])
		out.WriteString(ed.text)
		at = ed.end
	}
	out.Write(e.old[at:])
	return out.Bytes()
}
