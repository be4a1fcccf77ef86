package render

import (
	"fmt"
	"strconv"

	"github.com/kubeapitrace/apitrace/trace"
)

// duration writes nanoseconds with three digits and a unit, "4.12ms".
func (g glyphs) duration(ns int64) string {
	if ns < 1000 {
		return fmt.Sprintf("%dns", ns)
	}
	value := float64(ns) / 1e3
	units := []string{g.micro, "ms", "s"}
	for value >= 999.5 && len(units) > 1 {
		value, units = value/1e3, units[1:]
	}
	decimals := 2
	switch {
	case value >= 99.95:
		decimals = 0
	case value >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + units[0]
}

// Duration writes nanoseconds with three digits and a unit, as the tree does.
func Duration(ns int64, ascii bool) string {
	if ascii {
		return asciiGlyphs.duration(ns)
	}
	return unicodeGlyphs.duration(ns)
}

// Took returns how long a call took, as Duration writes it, or "" for a call of which only the entry was recorded.
func Took(call *trace.Call, ascii bool) string {
	if call.Leaf {
		return ""
	}
	return Duration(call.DurationNs, ascii)
}
