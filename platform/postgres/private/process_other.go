//go:build !linux

package private

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithParent does nothing where no kernel sends a signal at the parent's death: a server that a killed parent leaves
// runs on until the next start stops it.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// serves tells whether process pid is a server on the data folder, which we name on its command line.
func serves(pid int, data string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	//nolint:gosec // the arguments are fixed but for a number
	said, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	var gone *exec.ExitError
	if errors.As(err, &gone) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("tell whether process %d serves %s: %w", pid, data, err)
	}
	return strings.Contains(string(said), "postgres") && strings.Contains(string(said), data), nil
}
