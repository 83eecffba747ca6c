package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel send signal to the child when we die, however we die.
func dieWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

// serves tells whether process pid is a server on the data folder: postmasters work in their data folder. A zombie has
// no folder any more.
func serves(pid int, data string) (bool, error) {
	proc := "/proc/" + strconv.Itoa(pid)
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err == nil {
		return cwd == data, nil
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return false, nil
	}
	// The number may have gone to a process of another user, into which we cannot look.
	theirs, alive, ownerErr := ownerOf(proc)
	ours, _, dataErr := ownerOf(data)
	if ownerErr == nil && dataErr == nil && (!alive || theirs != ours) {
		return false, nil
	}
	return false, fmt.Errorf("tell whether process %d serves %s: %w", pid, data, err)
}
