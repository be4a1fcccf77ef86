//go:build !amd64 && !arm64 && go1.26

package probe

import "unsafe"

const supportedArch = false

func getg() unsafe.Pointer { panic("unreachable: the probe does not start on this architecture") }

func framePointer() uintptr { panic("unreachable: the probe does not start on this architecture") }

func here() (gp unsafe.Pointer, fp uintptr, count int64) {
	panic("unreachable: the probe does not start on this architecture")
}

func counter() int64 { panic("unreachable: the probe does not start on this architecture") }
