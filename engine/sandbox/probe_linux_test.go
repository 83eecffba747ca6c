package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"veracity/engine/sandbox"
)

// The test binary is its own prisoner: "enter" locks itself in and becomes "probe", which tries one thing and says how
// it went.
const (
	roleEnter = "enter"
	roleProbe = "probe"
)

// childEnv spares the race detector's second of sleep at exit.
var childEnv = []string{"PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}

// finding is what a probe says on its standard output.
type finding struct {
	Error  string         `json:"error"`
	Status sandbox.Status `json:"status"`
}

func TestMain(m *testing.M) {
	if len(os.Args) < 3 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case roleEnter:
		fmt.Fprintln(os.Stderr, enter(os.Args[2], os.Args[3:]))
		os.Exit(1)
	case roleProbe:
		if err := json.NewEncoder(os.Stdout).Encode(probe(os.Args[2], os.Args[3:])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

func enter(encoded string, args []string) error {
	var policy sandbox.Policy
	if err := json.Unmarshal([]byte(encoded), &policy); err != nil {
		return err
	}
	return sandbox.Enter(policy, append([]string{os.Args[0], roleProbe}, args...), childEnv)
}

func probe(name string, args []string) finding {
	var found finding
	err := errors.New("unknown probe")
	switch name {
	case "status":
		found.Status, err = sandbox.Describe()
	case "read":
		_, err = os.ReadFile(args[0])
	case "list":
		_, err = os.ReadDir(args[0])
	case "write":
		err = os.WriteFile(args[0], []byte("x"), 0o600)
	case "tree":
		err = tree(args[0])
	case "symlink":
		err = os.Symlink("/etc/passwd", args[0])
	case "fill":
		err = fill(args[0])
	case "dial":
		err = dial(args[0], args[1])
	case "listen":
		_, err = net.Listen(args[0], args[1])
	case "run":
		err = exec.Command(args[0], args[1:]...).Run()
	case "copy-and-run":
		err = copyAndRun(args[0], args[1])
	case "allocate":
		err = allocate(args[0])
	case "threads":
		err = onThreads(args[0])
	case "signal":
		pid, _ := strconv.Atoi(args[0])
		err = syscall.Kill(pid, 0)
	case "inherited":
		err = inherited(args[0])
	case "call":
		err = call(args[0])
	case "descriptors":
		err = descriptors()
	}
	if err != nil {
		found.Error = err.Error()
	}
	return found
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte("x"))
	return err
}

// tree does in a folder all that a check does in its scratch: make, write, rename, read and remove.
func tree(dir string) error {
	inner := filepath.Join(dir, "check")
	from, to := filepath.Join(inner, "in"), filepath.Join(inner, "out")
	return errors.Join(os.Mkdir(inner, 0o700), os.WriteFile(from, []byte("x"), 0o600), os.Rename(from, to),
		os.Truncate(to, 0), os.RemoveAll(inner))
}

// fill writes until the kernel refuses. The signal that comes with the refusal is ignored by Go programs only if asked.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	block := make([]byte, 1<<20)
	for range 64 {
		if _, err := file.Write(block); err != nil {
			return err
		}
	}
	return nil
}

func copyAndRun(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if err := os.WriteFile(to, program, 0o700); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return exec.Command(to).Run()
}

// allocate maps and touches memory as a C library would.
func allocate(bytes string) error {
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return err
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	return unix.Munmap(memory)
}

// onThreads reads path on many threads at once and answers nil when any of them could.
func onThreads(path string) error {
	const threads = 16
	failures := make(chan error, threads)
	var barrier, done sync.WaitGroup
	barrier.Add(threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			barrier.Done()
			barrier.Wait()
			_, err := os.ReadFile(path)
			failures <- err
		})
	}
	done.Wait()
	close(failures)
	var all []error
	for err := range failures {
		if err == nil {
			return nil
		}
		all = append(all, err)
	}
	if unfiltered() {
		return nil
	}
	return errors.Join(all...)
}

// inherited answers nil when descriptor 3 is the file that holds content.
func inherited(content string) error {
	got := make([]byte, len(content))
	if _, err := unix.Pread(3, got, 0); err != nil {
		return err
	}
	if string(got) != content {
		return errors.New("descriptor 3 is another file")
	}
	return nil
}

// unfiltered says whether any thread of the process runs without the filter.
func unfiltered() bool {
	tasks, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(tasks) == 0 {
		return true
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err == nil && !strings.Contains(string(text), "Seccomp:\t2\n") {
			return true
		}
	}
	return false
}

func call(name string) error {
	var errno syscall.Errno
	switch name {
	case "ptrace":
		_, _, errno = unix.Syscall(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(os.Getppid()), 0)
	case "unshare":
		_, _, errno = unix.Syscall(unix.SYS_UNSHARE, unix.CLONE_NEWUTS, 0, 0)
	case "clone-namespace":
		_, _, errno = unix.Syscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	case "io_uring_setup":
		_, _, errno = unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
	case "memfd_create":
		_, _, errno = unix.Syscall(unix.SYS_MEMFD_CREATE, 0, 0, 0)
	case "bpf":
		_, _, errno = unix.Syscall(unix.SYS_BPF, 0, 0, 0)
	case "mount":
		_, _, errno = unix.Syscall6(unix.SYS_MOUNT, 0, 0, 0, 0, 0, 0)
	case "setuid":
		_, _, errno = unix.Syscall(unix.SYS_SETUID, 0, 0, 0)
	}
	if errno == 0 {
		return nil
	}
	return errno
}

// descriptors opens files until the kernel refuses, at most a thousand.
func descriptors() error {
	for range 1000 {
		if _, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0); err != nil {
			return err
		}
	}
	return nil
}
