package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)); the low half of an argument comes first on the little-endian machines
// that Go's Linux ports of today are.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
	offsetArg1   = 24
)

// Answers of the filter.
const (
	answerAllow = unix.SECCOMP_RET_ALLOW
	answerKill  = unix.SECCOMP_RET_KILL_PROCESS
	answerPerm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerNoSys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// newNamespaces are the flags by which clone(2) makes namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filterSyscalls loads the filter onto the calling thread, and no_new_privs with it.
func filterSyscalls() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	table, err := arch.GetInfo("")
	if err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	raw, err := bpf.Assemble(filterProgram(table))
	if err != nil {
		return fmt.Errorf("assemble the system call filter: %w", err)
	}
	instructions := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		instructions[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	//nolint:gosec // The kernel takes at most 4096 instructions, and a pointer to them.
	program := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))) //nolint:gosec // As above.
	runtime.KeepAlive(instructions)
	if errno != 0 {
		return fmt.Errorf("load the system call filter: %w", errno)
	}
	return nil
}

// filterProgram writes the filter. A call by another architecture's numbers (int 0x80 on amd64) would slip past a list
// of numbers, so it kills. Calls beyond the table, among them all of x32, do not exist here. clone3 hides its flags in
// memory, so it does not exist either and C libraries fall back to clone.
func filterProgram(table *arch.Info) []bpf.Instruction {
	highest := 0
	for number := range table.SyscallNumbers {
		highest = max(highest, number)
	}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(table.ID), SkipTrue: 1},
		bpf.RetConstant{Val: answerKill},
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: uint32(highest), SkipFalse: 1},
		bpf.RetConstant{Val: answerNoSys},
	}
	number := func(name string) uint32 { return uint32(table.SyscallNames[name]) } //nolint:gosec // A table of small numbers.
	answer := func(name string, value uint32) {
		if _, found := table.SyscallNames[name]; found {
			program = append(program,
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: number(name), SkipFalse: 1}, bpf.RetConstant{Val: value})
		}
	}
	answer("clone3", answerNoSys)
	for _, name := range deniedCalls() {
		answer(name, answerPerm)
	}
	program = append(program, // A low half alone is compared, as the kernel reads these arguments.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number("clone"), SkipTrue: 3},
		bpf.LoadAbsolute{Off: offsetArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 5},
		bpf.RetConstant{Val: answerPerm},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number("ioctl"), SkipTrue: 3},
		bpf.LoadAbsolute{Off: offsetArg1, Size: 4},
		// Both type into the terminal that the engine was started from.
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		bpf.RetConstant{Val: answerAllow},
		bpf.RetConstant{Val: answerPerm},
	)
	return program
}
