package testenv

import (
	"os"
	"testing"
)

// SocketDir makes a folder for unix sockets, and removes it after the test. The path of a
// socket must be short, and paths below t.TempDir may be too long.
func SocketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
