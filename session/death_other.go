//go:build unix && !linux

package session

import "syscall"

// dieWithUs does nothing: only Linux ends a process with the one that started it.
func dieWithUs(*syscall.SysProcAttr) {}
