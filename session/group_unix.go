//go:build unix

package session

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// giveTerminal puts a client into its own process group, so that it can be ended together
// with its children. If standard input is a terminal, the group becomes its foreground
// group, which reads from it and gets Ctrl-C. back returns the terminal to apitrace.
func giveTerminal(cmd *exec.Cmd) (back func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
	in, ok := cmd.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return func() {}
	}
	if owner, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP); err != nil || owner != syscall.Getpgrp() {
		return func() {} // apitrace itself runs in the background
	}
	cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(in.Fd())
	return func() {
		// Otherwise, taking back the terminal would stop this process, which is in the
		// background.
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCSPGRP, syscall.Getpgrp())
	}
}

// signalGroup sends a signal to the client and its children.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // an error means that the group has ended
}
