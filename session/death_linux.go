package session

import "syscall"

// dieWithUs makes the kernel kill the client when apitrace itself is killed and
// cannot kill it.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
