//go:build !linux

package supervise

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func thisProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
}

// attributes put the engine into a process group of its own. Its lifeline alone ties it to this process.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reap waits for the process to end and takes what it started with it.
func reap(cmd *exec.Cmd) error {
	defer killGroup(cmd)
	return cmd.Wait()
}
