//go:build unix

package program

import (
	"os"
	"syscall"
)

// isOwnDir reports whether dir is a folder that only this user can read and write.
// A link does not count. In a shared temporary folder, other users can make folders
// with names like run directories.
func isOwnDir(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
