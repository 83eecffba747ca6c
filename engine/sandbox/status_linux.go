package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Describe finds out what holds for the calling process.
func Describe() (Status, error) {
	proc, err := readProc("/proc/self/status")
	if err != nil {
		return Status{}, err
	}
	var memory syscall.Rlimit
	if err := syscall.Getrlimit(unix.RLIMIT_DATA, &memory); err != nil {
		return Status{}, fmt.Errorf("read the memory limit: %w", err)
	}
	status := Status{
		Seccomp:        proc["Seccomp"] == "2",
		NoNewPrivs:     proc["NoNewPrivs"] == "1",
		NoCapabilities: proc.zero("CapEff") && proc.zero("CapPrm") && proc.zero("CapInh") && proc.zero("CapAmb"),
		PrivateUsers:   privateUsers(),
		PrivateNetwork: privateNetwork(),
	}
	if memory.Cur < 1<<62 {
		status.MemoryBytes = int64(memory.Cur)
	}
	if rootIsClosed() {
		if status.LandlockABI, err = ll.LandlockGetABIVersion(); err != nil {
			return Status{}, fmt.Errorf("read the Landlock version: %w", err)
		}
	}
	return status, nil
}

// rootIsClosed says whether listing / is refused: everyone may list it, but for Landlock.
func rootIsClosed() bool {
	root, err := os.Open("/")
	if err == nil {
		_ = root.Close()
	}
	return errors.Is(err, os.ErrPermission)
}

// privateNetwork says whether the process sees no network interface but loopback.
func privateNetwork() bool {
	table, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return false
	}
	lines := bytes.Split(bytes.TrimSpace(table), []byte("\n"))
	// Two lines of headings come first.
	for _, line := range lines[min(2, len(lines)):] {
		if name, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":")); string(name) != "lo" {
			return false
		}
	}
	return true
}

// procStatus is a file of "name: value" lines (proc_pid_status(5)).
type procStatus map[string]string

func readProc(path string) (procStatus, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read own status: %w", err)
	}
	fields := procStatus{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields, nil
}

func (p procStatus) zero(name string) bool {
	value, found := p[name]
	return !found || strings.Trim(value, "0") == ""
}

// kilobytes reads a "12345 kB" value, 0 where it is missing.
func (p procStatus) kilobytes(name string) uint64 {
	digits, _, _ := strings.Cut(p[name], " ")
	value, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0
	}
	return value
}
