package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitResources sets the limits, soft and hard, for this process and what it becomes.
func limitResources(l Limits) error {
	mapped, err := readProc("/proc/self/status")
	if err != nil {
		return err
	}
	// Go reserves address space far beyond its use, and libraries map files: hence a wider bound there, against memory
	// that is shared and so escapes the first limit.
	limits := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"private memory", unix.RLIMIT_DATA, mapped.kilobytes("VmData")<<10 + unsigned(l.MemoryBytes)},
		{"address space", unix.RLIMIT_AS, mapped.kilobytes("VmSize")<<10 + 2*unsigned(l.MemoryBytes)},
		{"file size", unix.RLIMIT_FSIZE, unsigned(l.FileBytes)},
		{"open files", unix.RLIMIT_NOFILE, unsigned(l.OpenFiles)},
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
	}
	for _, limit := range limits {
		if err := setLimit(limit.resource, limit.value); err != nil {
			return fmt.Errorf("limit %s to %d: %w", limit.name, limit.value, err)
		}
	}
	if privateUsers() {
		if err := setLimit(unix.RLIMIT_NPROC, unsigned(l.Processes)); err != nil {
			return fmt.Errorf("limit processes to %d: %w", l.Processes, err)
		}
	}
	return nil
}

// unsigned is a limit as the kernel takes it. Policy.Validate has seen that it is positive.
func unsigned[N int | int64](n N) uint64 { return uint64(n) }

// setLimit lowers a limit; one that is lower already stays. It goes through package syscall, which else puts the
// descriptor limit back on execve.
func setLimit(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value})
}

// privateUsers says whether the process lives in a user namespace other than the machine's own, which maps every id.
func privateUsers() bool {
	idMap, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && !bytes.Equal(bytes.Join(bytes.Fields(idMap), []byte(" ")), []byte("0 0 4294967295"))
}
