package view

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/kubeapitrace/apitrace/trace"
)

// Signs are characters that terminals may be unable to show.
type Signs struct {
	Arrow, Ellipsis, Failed, Times, Micro string
	// Folded stands before the number of folded calls, Into before the number of a section.
	Folded, Into string
	// NoSpan stands before a function that has a span on only one side of a comparison.
	NoSpan string
	// TickNs is the tick of the clock that measured durations, in nanoseconds. Duration
	// writes no digit below it. 0 means nanoseconds.
	TickNs int64
}

// SignsFor returns the signs in Unicode or in ASCII.
func SignsFor(ascii bool) Signs {
	if ascii {
		return Signs{Arrow: "->", Ellipsis: "~", Failed: "!", Times: "x", Micro: "us", Folded: "..", Into: ">", NoSpan: "."}
	}
	return Signs{Arrow: "→", Ellipsis: "…", Failed: "✗", Times: "×", Micro: "µs", Folded: "⋯", Into: "▸", NoSpan: "◌"}
}

// Duration writes nanoseconds with three digits and a unit, "4.12ms". Times below the
// tick of the clock are "<1µs".
func (s Signs) Duration(ns int64) string {
	if ns < s.TickNs {
		return "<" + s.Duration(s.TickNs)
	}
	if ns < 1000 {
		return fmt.Sprintf("%dns", ns)
	}
	value := float64(ns) / 1e3
	units := []string{s.Micro, "ms", "s"}
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
	if s.TickNs == 1000 && units[0] == s.Micro {
		decimals = 0
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + units[0]
}

// Took returns a call's duration, with ">" before it if the call had not returned. It
// returns "" if only the entry of the call was recorded.
func (s Signs) Took(call *trace.Call) string {
	switch {
	case call.Leaf:
		return ""
	case call.Unfinished:
		return ">" + s.Duration(call.DurationNs)
	}
	return s.Duration(call.DurationNs)
}

// Thousands writes a number with commas: 12,345.
func Thousands(n int) string { return humanize.Comma(int64(n)) }
