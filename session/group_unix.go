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

// giveTerminal puts a client into a process group of its own, so that apitrace can
// end the client together with the processes that it starts. If standard input is a
// terminal, the group becomes its foreground group, which reads from the terminal and
// gets Ctrl-C. back returns the terminal to apitrace.
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
		// Otherwise, taking the terminal back as a background group would stop this process.
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCSPGRP, syscall.Getpgrp())
	}
}

// signalGroup sends a signal to the client and to all processes that it has started.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // an error means that the group has ended
}
