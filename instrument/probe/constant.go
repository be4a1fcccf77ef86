//go:build go1.26

package probe

import "unsafe"

// A constant of the program, such as "mvcc: revision not found", contains nothing of a
// request's data. So it may be shown where a formatted text may not.
//
// The probe recognizes a constant by its address. The linker sorts constants by size
// within one read-only section. So all constants of medium length lie between a short and
// a long constant that the probe knows. The short constant has more than 8 bytes, because
// the linker puts shorter constants elsewhere in the section, with other data.

const (
	shortConstant = "\x02\x01probe\x01\x02"
	constant64    = "\x01\x02 the probe finds the program's constants between this and another"
	constant512   = constant64 + constant64 + constant64 + constant64 + constant64 + constant64 + constant64 + constant64
	longConstant  = constant512 + constant512 + constant512 + constant512 // longer than maxError
)

// isConstant reports whether s is certainly a constant of the program.
func isConstant(s string) bool {
	if s == "" {
		return true
	}
	first, last := address(shortConstant), address(longConstant)
	at := address(s)
	return min(first, last) <= at && at < max(first, last)
}

func address(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
