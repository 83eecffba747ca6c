package supervise

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// thisProgram starts the program that runs now, also when its file has been replaced since (proc(5)).
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// attributes put the engine into a process group of its own and tie its life to the starting thread's. With isolate it
// lives in a user namespace in which it is root over nothing, and from which it leaves the network.
func attributes(isolate bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if isolate {
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// reap waits for the process to end and takes what it started with it. The group is killed while the dead process still
// holds its number: a process of its own that lived on would keep the log open and so hold up the restart.
func reap(cmd *exec.Cmd) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	killGroup(cmd)
	return cmd.Wait()
}
