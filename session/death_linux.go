package session

import "syscall"

// dieWithUs makes the kernel kill the client when apitrace is killed and cannot do so itself.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
