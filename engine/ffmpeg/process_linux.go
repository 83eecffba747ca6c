package ffmpeg

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put the program into a process group of its own and tie its life to the starting thread's.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill a program: %w", err)
	}
	return nil
}

// restrain lowers a started program's priority and memory. Neither matters for a program that has ended already.
func restrain(pid int, cfg Config) {
	_ = unix.Setpriority(unix.PRIO_PGRP, pid, cfg.Nice)
	var inherited unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &inherited) != nil {
		return
	}
	most := min(uint64(cfg.MemoryBytes), inherited.Cur, inherited.Max) //nolint:gosec // Validate has seen that it is positive.
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil)
}
