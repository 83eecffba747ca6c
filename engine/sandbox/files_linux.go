package sandbox

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Rights of Landlock, grouped by what they are for. Sockets, devices, links and FIFOs can be made nowhere.
const (
	rightRead  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSReadDir
	rightFile  landlock.AccessFSSet = ll.AccessFSReadFile
	rightExec  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSExecute
	rightNull  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSWriteFile
	rightWrite landlock.AccessFSSet = rightRead | ll.AccessFSWriteFile | ll.AccessFSTruncate |
		ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir
)

// systemRead is what a program and its libraries read of the system: code, fonts, and what the machine is made of.
func systemRead() []string {
	return []string{
		"/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/fonts",
		"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/sys/fs/cgroup",
		"/sys/kernel/mm/transparent_hugepage", "/dev/zero", "/dev/urandom",
	}
}

// restrictFiles puts Landlock on: the system readable, the scratch folder writable, the named programs startable, no TCP
// or UDP port, no signal and no abstract socket of another process. Older kernels hold what they know of.
func restrictFiles(p Policy) error {
	rules := []landlock.Rule{
		landlock.PathAccess(rightWrite, p.Scratch),
		landlock.PathAccess(rightNull, "/dev/null").IgnoreIfMissing(),
		landlock.PathAccess(rightExec, p.Program),
	}
	programs := append([]string{p.Program}, p.Exec...)
	for _, program := range p.Exec {
		rules = append(rules, landlock.PathAccess(rightExec, program).IgnoreIfMissing())
	}
	for _, program := range programs {
		if loader := interpreter(program); loader != "" {
			rules = append(rules, landlock.PathAccess(rightExec, loader).IgnoreIfMissing())
		}
	}
	for _, path := range append(systemRead(), p.Read...) {
		rules = append(rules, landlock.PathAccess(readRight(path), path).IgnoreIfMissing())
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("lock files with Landlock: %w", err)
	}
	return nil
}

// interpreter is the dynamic loader that an ELF program names (gABI, PT_INTERP), or "" where there is none to be found.
func interpreter(program string) string {
	file, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for _, segment := range file.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(segment.Open(), 4096))
		if err != nil {
			return ""
		}
		return strings.TrimRight(string(name), "\x00")
	}
	return ""
}

// readRight leaves the right to list out where path is a file, which the kernel demands.
func readRight(path string) landlock.AccessFSSet {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return rightFile
	}
	return rightRead
}
