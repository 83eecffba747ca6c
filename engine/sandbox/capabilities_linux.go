package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// noRoot are the bits of securebits(7) that stop user id 0 from meaning anything, set and locked: SECBIT_NOROOT,
// SECBIT_NO_SETUID_FIXUP, SECBIT_NO_CAP_AMBIENT_RAISE.
const noRoot = 0b11 | 0b1100 | 0b11000000

// dropCapabilities takes every capability from the thread and the means to regain one through execve. A process without
// privileges holds none and may not touch its bounding set, which is then of no use to it.
func dropCapabilities() error {
	for capability := uintptr(0); ; capability++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break
		}
		if err != nil {
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("set securebits: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
