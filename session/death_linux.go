package session

import "syscall"

// dieWithUs has the client killed when apitrace is, which then cannot do it.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
