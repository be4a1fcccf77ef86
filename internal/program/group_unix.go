//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a child into a process group of its own, so that Ctrl-C in the
// terminal reaches apitrace alone, which then ends the child in an orderly way.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a child of ownGroup with all processes that it started.
func killGroup(cmd *exec.Cmd) error {
	return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
