//go:build unix && !linux

package session

import "syscall"

// dieWithUs does nothing: only Linux ends a process with its parent.
func dieWithUs(*syscall.SysProcAttr) {}
