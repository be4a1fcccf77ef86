//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a child into its own process group. Ctrl-C then reaches only apitrace,
// which ends the child in an orderly way.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a child of ownGroup and its descendants.
func killGroup(cmd *exec.Cmd) error {
	return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
