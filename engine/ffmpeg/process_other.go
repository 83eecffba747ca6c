//go:build !linux

package ffmpeg

import (
	"fmt"
	"syscall"
)

// attributes put the program into a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill a program: %w", err)
	}
	return nil
}

// restrain does nothing: the limits of other systems are not the product's.
func restrain(int, Config) {}
