//go:build go1.26

package probe

import "unsafe"

// A constant of the program says nothing of a request's data: "mvcc: revision not found" may be
// shown where a formatted text may not. Constants are told by their address. The linker sorts
// them by size within one read-only section, so those that are no shorter than the first
// and no longer than the last of two known ones lie between these. The first has more than 8 bytes:
// the linker merges shorter ones with other data, elsewhere in the section.

const (
	shortConstant = "\x02\x01probe\x01\x02"
	constant64    = "\x01\x02 the probe finds the program's constants between this and another"
	constant512   = constant64 + constant64 + constant64 + constant64 + constant64 + constant64 + constant64 + constant64
	longConstant  = constant512 + constant512 + constant512 + constant512 // longer than maxError
)

// isConstant tells whether s surely is a constant of the program.
func isConstant(s string) bool {
	if s == "" {
		return true
	}
	first, last := address(shortConstant), address(longConstant)
	at := address(s)
	return min(first, last) <= at && at < max(first, last)
}

func address(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
