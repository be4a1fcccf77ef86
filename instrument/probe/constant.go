//go:build go1.26

package probe

import "unsafe"

// A constant of the program contains nothing of a request's data. So "mvcc: revision not
// found" may be shown where a formatted text may not. The probe knows a constant by its
// address. The linker sorts constants by size within one read-only section. Between two
// known constants lie all constants at least as long as the first and at most as long as
// the last. The first has more than 8 bytes, because the linker merges shorter ones with
// other data, elsewhere in the section.

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
