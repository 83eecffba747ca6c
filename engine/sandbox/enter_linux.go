package sandbox

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported says whether this system has a sandbox at all.
func Supported() bool { return true }

// Enter locks the calling thread and replaces the process with policy.Program under that lock: argv as given (its first
// entry is the program's name), env as its whole environment. It returns only with an error, after which the process may
// be locked in part and should end.
//
// Landlock, namespaces and the dropping of capabilities are best effort, since old kernels and containers lack or refuse
// some: [Describe] tells the started program what holds. Limits, no_new_privs and the filter must succeed.
func Enter(policy Policy, argv, env []string) error {
	if err := policy.Validate(); err != nil {
		return err
	}
	// The lock is the thread's; it must be the thread that calls execve.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	leaveNamespaces()
	if err := keepOnly(policy.Keep); err != nil {
		return err
	}
	if err := limitResources(policy.Limits); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := restrictFiles(policy); err != nil {
		return err
	}
	if err := filterSyscalls(); err != nil {
		return err
	}
	//nolint:gosec // The program is the caller's own.
	if err := syscall.Exec(policy.Program, argv, env); err != nil {
		return fmt.Errorf("start %s under the lock: %w", policy.Program, err)
	}
	return nil
}

// leaveNamespaces takes the thread out of the network, the IPC objects and the host name that it shares. The kernel
// refuses it to a process without privileges, and then the filter and Landlock alone hold the network off.
func leaveNamespaces() {
	for _, flag := range []int{unix.CLONE_NEWNET, unix.CLONE_NEWIPC, unix.CLONE_NEWUTS} {
		_ = unix.Unshare(flag)
	}
}

// firstExtra is the first descriptor after standard input, output and error.
const firstExtra = 3

// keepOnly lets no other descriptor over execve: one that the parent left open would be a way past the lock. Kernels
// before 5.11 cannot mark them all; Go opens its own with the mark.
func keepOnly(keep []uintptr) error {
	err := unix.CloseRange(firstExtra, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("mark descriptors to be closed: %w", err)
	}
	for _, fd := range keep {
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return fmt.Errorf("keep descriptor %d: %w", fd, err)
		}
	}
	return nil
}
