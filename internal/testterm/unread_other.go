//go:build !linux

package testterm

import "os"

// unread returns 0: only Linux is asked for the number of bytes that the program has not read.
func unread(*os.File) int { return 0 }
