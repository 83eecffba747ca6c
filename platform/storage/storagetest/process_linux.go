package storagetest

import "syscall"

// dieWithParent ends the server with a test binary that is killed or times out and runs no cleanup.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
