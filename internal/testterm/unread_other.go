//go:build !linux

package testterm

import "os"

// unread returns 0, because only Linux reports the number of unread bytes.
func unread(*os.File) int { return 0 }
