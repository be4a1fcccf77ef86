package view

import (
	"strconv"
	"strings"
)

// An errorText is the text of an error as it was recorded. The probe keeps 2048
// bytes of an error and 512 bytes of a value, so the same error may be recorded
// with two lengths.
type errorText struct {
	kept   string
	length int // of the whole text, in bytes
}

// newErrorText reads a recorded text. If the probe cut the text, its end is
// "… (12 bytes more)": see bounded in instrument/probe/call.go.
func newErrorText(recorded string) errorText {
	const sign = "… ("
	if text, ok := strings.CutSuffix(recorded, " bytes more)"); ok {
		if at := strings.LastIndex(text, sign); at >= 0 {
			if more, err := strconv.ParseUint(text[at+len(sign):], 10, 31); err == nil {
				return errorText{text[:at], at + int(more)}
			}
		}
	}
	return errorText{recorded, len(recorded)}
}

// whole reports whether nothing of the text was cut.
func (t errorText) whole() bool { return len(t.kept) == t.length }

// sameError reports whether two recorded texts are the same error: they have
// the same length, and the same beginning as far as both are recorded.
func sameError(a, b string) bool {
	if a == b {
		return true
	}
	x, y := newErrorText(a), newErrorText(b)
	if x.whole() && y.whole() {
		return false
	}
	n := min(len(x.kept), len(y.kept))
	return x.length == y.length && x.kept[:n] == y.kept[:n]
}

// includes reports whether text contains the text of another error. The text of
// an aggregate of errors has brackets around it. They are missing if the
// aggregate is part of a longer text.
func includes(text, err string) bool {
	whole, part := newErrorText(text), newErrorText(err)
	if kept, ok := strings.CutPrefix(part.kept, "["); ok && !part.whole() {
		part = errorText{kept, part.length - 2}
	} else if ok {
		part = newErrorText(strings.TrimSuffix(kept, "]"))
	}
	if part.whole() && strings.Contains(whole.kept, part.kept) {
		return true
	}
	return !(part.whole() && whole.whole()) && whole.overlaps(part)
}

// overlaps reports whether the recorded beginning of part is in the text, up to
// where one of the two was cut. A short overlap may be an accident.
func (t errorText) overlaps(part errorText) bool {
	const enough = 32 // bytes
	for at := range t.kept {
		n := min(len(t.kept)-at, len(part.kept))
		if n < min(enough, part.length) {
			return false
		}
		if t.kept[at:at+n] == part.kept[:n] && at+part.length <= t.length {
			return true
		}
	}
	return false
}
