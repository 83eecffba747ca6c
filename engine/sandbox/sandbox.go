// Package sandbox locks a process in before it touches hostile bytes: Landlock for files, TCP and signals, a seccomp
// filter for system calls, resource limits for memory and disk, no capabilities, and a network namespace of its own where
// the kernel allows one. It knows nothing of media or HTTP.
//
// A lock put on a running process misses threads that a C library made beforehand. So [Enter] locks one thread and then
// replaces the process with a fresh start of a program: whatever that program does, on any thread and in any child, is
// under the lock from its first instruction.
//
// On systems other than Linux there is no sandbox: [Supported] is false and [Enter] answers [ErrUnsupported].
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrUnsupported says that this system has no sandbox.
var ErrUnsupported = errors.New("sandbox: only Linux has one")

// Limits are resource limits of the locked process. Memory counts on top of what the starting program has mapped
// already, so that the same figure means the same with and without a race detector.
type Limits struct {
	// MemoryBytes bounds private writable memory (setrlimit(2), RLIMIT_DATA). Twice as much bounds address space.
	MemoryBytes int64
	// FileBytes bounds each written file.
	FileBytes int64
	// OpenFiles bounds descriptors.
	OpenFiles int
	// Processes bounds processes and threads. It holds in a private user namespace alone: elsewhere the kernel counts all
	// that the user runs.
	Processes int
}

// Policy is what the locked process may do. Everything else that the kernel can refuse is refused.
type Policy struct {
	// Program is the absolute path of what [Enter] starts.
	Program string
	// Scratch is the one folder that may be written, absolute and existing.
	Scratch string
	// Read are further files and folders that may be read, beside the system's libraries and fonts.
	Read []string
	// Exec are further programs that may be started. Missing ones are ignored.
	Exec []string
	// Keep are descriptors beyond standard input, output and error that stay open. All others close.
	Keep []uintptr
	// Limits are the resource limits.
	Limits Limits
}

// Validate names the field that is wrong.
func (p Policy) Validate() error {
	for name, path := range map[string]string{"Program": p.Program, "Scratch": p.Scratch} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("sandbox policy: %s is %q: an absolute path is needed", name, path)
		}
	}
	for name, value := range map[string]int64{
		"MemoryBytes": p.Limits.MemoryBytes, "FileBytes": p.Limits.FileBytes,
		"OpenFiles": int64(p.Limits.OpenFiles), "Processes": int64(p.Limits.Processes),
	} {
		if value <= 0 {
			return fmt.Errorf("sandbox policy: Limits.%s is %d: a positive number is needed", name, value)
		}
	}
	return nil
}

// Status is what holds for the calling process, found out by looking and not by remembering.
type Status struct {
	// LandlockABI is the kernel's Landlock version when files are locked, 0 when they are not.
	LandlockABI int
	// Seccomp says that a system call filter is on, and NoNewPrivs that no program can raise privileges.
	Seccomp, NoNewPrivs bool
	// NoCapabilities says that the process holds no capability and can gain none.
	NoCapabilities bool
	// PrivateUsers and PrivateNetwork say that the process has namespaces of its own.
	PrivateUsers, PrivateNetwork bool
	// MemoryBytes is the limit on private writable memory, 0 when there is none.
	MemoryBytes int64
}

// Parts is the status as words for a log or a status page: each part with "on", "off" or its value.
func (s Status) Parts() map[string]string {
	word := map[bool]string{true: "on", false: "off"}
	parts := map[string]string{
		"landlock": "off", "memory_limit": "off",
		"seccomp": word[s.Seccomp], "no_new_privs": word[s.NoNewPrivs], "no_capabilities": word[s.NoCapabilities],
		"private_users": word[s.PrivateUsers], "private_network": word[s.PrivateNetwork],
	}
	if s.LandlockABI > 0 {
		parts["landlock"] = "abi " + strconv.Itoa(s.LandlockABI)
	}
	if s.MemoryBytes > 0 {
		parts["memory_limit"] = strconv.FormatInt(s.MemoryBytes, 10)
	}
	return parts
}

// landlockWithTCP is the first Landlock version that refuses TCP.
const landlockWithTCP = 4

// Weaknesses lists, in words, the guarantees that this process lacks. Namespaces are not among them: they repeat what
// Landlock and seccomp hold already. An empty list means that the lock is whole.
func (s Status) Weaknesses() []string {
	var weak []string
	note := func(missing bool, text string) {
		if missing {
			weak = append(weak, text)
		}
	}
	note(s.LandlockABI == 0, "files are not locked (the kernel has no Landlock)")
	note(s.LandlockABI > 0 && s.LandlockABI < landlockWithTCP && !s.Seccomp, "TCP is not locked")
	note(!s.Seccomp, "system calls are not filtered")
	note(!s.NoNewPrivs, "privileges can be raised")
	note(!s.NoCapabilities, "capabilities are held")
	note(s.MemoryBytes == 0, "memory is not limited")
	return weak
}

// String is the status in one line.
func (s Status) String() string {
	if weak := s.Weaknesses(); len(weak) > 0 {
		return strings.Join(weak, "; ")
	}
	return "locked"
}
