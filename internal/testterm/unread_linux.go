package testterm

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns how many typed bytes the program has not read yet.
// terminal is the program's end.
func unread(terminal *os.File) int {
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
