//go:build !linux

package testterm

import "os"

// unread returns 0, because it reads the number of unread bytes only on Linux.
func unread(*os.File) int { return 0 }
