package sandbox_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/sandbox"
)

const memoryLimit = 512 << 20

func policy(t *testing.T) sandbox.Policy {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return sandbox.Policy{
		Program: self, Scratch: t.TempDir(), Exec: []string{"/usr/bin/true"},
		Limits: sandbox.Limits{MemoryBytes: memoryLimit, FileBytes: 1 << 20, OpenFiles: 64, Processes: 256},
	}
}

// imprison runs one probe under the policy, in a process that inherits the given files from descriptor 3 on.
func imprison(t *testing.T, p sandbox.Policy, inherited []*os.File, probe ...string) (finding, error) {
	t.Helper()
	encoded, err := json.Marshal(p)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), p.Program, append([]string{roleEnter, string(encoded)}, probe...)...)
	cmd.ExtraFiles = inherited
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return finding{Error: problems.String()}, err
	}
	var found finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &found), problems.String())
	return found, nil
}

// requireRefused demands that the probe lived and was refused for the given reason.
func requireRefused(t *testing.T, reason string, probe ...string) {
	t.Helper()
	found, err := imprison(t, policy(t), nil, probe...)
	require.NoError(t, err, found.Error)
	require.Contains(t, found.Error, reason)
}

func TestTheLockIsWholeOnThisKernel(t *testing.T) {
	t.Parallel()
	found, err := imprison(t, policy(t), nil, "status")
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
	require.Empty(t, found.Status.Weaknesses(), "the sandbox needs a kernel with Landlock and seccomp")
	require.GreaterOrEqual(t, found.Status.MemoryBytes, int64(memoryLimit))
	require.Equal(t, "locked", found.Status.String())
}

func TestTheTestsOwnProcessIsNotLocked(t *testing.T) {
	t.Parallel()
	status, err := sandbox.Describe()
	require.NoError(t, err)
	require.Zero(t, status.LandlockABI)
	require.NotEmpty(t, status.Weaknesses())
	require.Equal(t, "off", status.Parts()["landlock"])
}

func TestFilesOutsideTheScratchAreClosed(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "private")
	require.NoError(t, os.WriteFile(elsewhere, []byte("x"), 0o600))
	const refused = "permission denied"
	requireRefused(t, refused, "read", "/etc/shadow")
	requireRefused(t, refused, "read", "/etc/passwd")
	requireRefused(t, refused, "read", elsewhere)
	requireRefused(t, refused, "list", os.TempDir())
	requireRefused(t, refused, "write", elsewhere)
	requireRefused(t, refused, "write", elsewhere+"-new")
	requireRefused(t, refused, "write", "/usr/lib/veracity-test")
	requireRefused(t, refused, "read", "/proc/self/root/etc/passwd")
	requireRefused(t, refused, "read", "/proc/"+strconv.Itoa(os.Getpid())+"/environ")
	content, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "x", string(content))
}

func TestTheScratchCanBeUsed(t *testing.T) {
	t.Parallel()
	p := policy(t)
	found, err := imprison(t, p, nil, "tree", p.Scratch)
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
}

func TestTheScratchHoldsNoLinksAndNoGiants(t *testing.T) {
	t.Parallel()
	p := policy(t)
	found, err := imprison(t, p, nil, "symlink", filepath.Join(p.Scratch, "link"))
	require.NoError(t, err, found.Error)
	require.Contains(t, found.Error, "permission denied")

	// The kernel refuses the write or, where Go leaves SIGXFSZ as it is, ends the process.
	giant := filepath.Join(p.Scratch, "giant")
	found, err = imprison(t, p, nil, "fill", giant)
	require.True(t, err != nil || found.Error != "", "nothing stopped the write")
	info, err := os.Stat(giant)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), p.Limits.FileBytes)
}

func TestNoSocketCanBeMade(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	dir, err := os.MkdirTemp("", "sb") //nolint:usetesting // A socket's path is short.
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })

	const refused = "operation not permitted"
	requireRefused(t, refused, "dial", "tcp", listener.Addr().String())
	requireRefused(t, refused, "dial", "udp", "127.0.0.1:53")
	requireRefused(t, refused, "dial", "unix", socket.Addr().String())
	requireRefused(t, refused, "listen", "tcp", "127.0.0.1:0")
}

func TestOnlyNamedProgramsStart(t *testing.T) {
	t.Parallel()
	p := policy(t)
	found, err := imprison(t, p, nil, "run", "/usr/bin/true")
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)

	requireRefused(t, "permission denied", "run", "/usr/bin/id")
	requireRefused(t, "permission denied", "run", "/bin/sh", "-c", "true")

	p = policy(t)
	p.Limits.FileBytes = 1 << 30
	found, err = imprison(t, p, nil, "copy-and-run", "/usr/bin/id", filepath.Join(p.Scratch, "id"))
	require.NoError(t, err, found.Error)
	require.Contains(t, found.Error, "permission denied")
	require.NotContains(t, found.Error, "copy:")
}

// videoPolicy is a policy under which ffmpeg can work, and where ffmpeg and ffprobe are.
func videoPolicy(t *testing.T) (p sandbox.Policy, ffmpeg, ffprobe string) {
	t.Helper()
	ffmpeg, err := exec.LookPath("ffmpeg")
	require.NoError(t, err, "the engine needs ffmpeg")
	ffprobe, err = exec.LookPath("ffprobe")
	require.NoError(t, err, "the engine needs ffprobe")
	p = policy(t)
	p.Exec = []string{ffmpeg, ffprobe}
	p.Limits = sandbox.Limits{MemoryBytes: 2 << 30, FileBytes: 1 << 30, OpenFiles: 256, Processes: 1024}
	return p, ffmpeg, ffprobe
}

func TestVideoIsMadeAndReadUnderTheLock(t *testing.T) {
	t.Parallel()
	p, ffmpeg, ffprobe := videoPolicy(t)
	clip := filepath.Join(p.Scratch, "clip.mp4")
	found, err := imprison(t, p, nil, "run", ffmpeg, "-v", "error", "-nostdin",
		"-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=1", "-f", "lavfi", "-i", "sine=duration=1",
		"-c:v", "libx264", "-c:a", "aac", "-movflags", "+faststart", clip)
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
	found, err = imprison(t, p, nil, "run", ffprobe, "-v", "error", clip)
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
}

func TestVideoProgramsReachNeitherTheNetworkNorOtherFiles(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	t.Cleanup(server.Close)
	p, ffmpeg, _ := videoPolicy(t)
	elsewhere := filepath.Join(t.TempDir(), "private.wav")
	made := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=duration=1", elsewhere)
	require.NoError(t, made.Run())
	for _, source := range []string{server.URL + "/clip.wav", elsewhere} {
		out := filepath.Join(p.Scratch, "out.wav")
		found, err := imprison(t, p, nil, "run", ffmpeg, "-v", "error", "-nostdin", "-i", source, out)
		require.NoError(t, err, found.Error)
		require.Contains(t, found.Error, "exit status")
		require.NoFileExists(t, out)
	}
	require.False(t, reached.Load())
}

func TestMemoryOverTheLimitFailsInTheChildAlone(t *testing.T) {
	t.Parallel()
	found, err := imprison(t, policy(t), nil, "allocate", strconv.Itoa(memoryLimit/4))
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
	requireRefused(t, "cannot allocate memory", "allocate", strconv.Itoa(memoryLimit+64<<20))
}

func TestTheLockHoldsOnEveryThread(t *testing.T) {
	t.Parallel()
	requireRefused(t, "permission denied", "threads", "/etc/passwd")
}

func TestDangerousCallsAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"ptrace", "unshare", "clone-namespace", "io_uring_setup", "memfd_create", "bpf", "mount", "setuid",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, "operation not permitted", "call", name)
		})
	}
}

func TestOtherProcessesCannotBeSignalled(t *testing.T) {
	t.Parallel()
	requireRefused(t, "operation not permitted", "signal", strconv.Itoa(os.Getpid()))
}

func TestOnlyKeptDescriptorsOfTheParentStayOpen(t *testing.T) {
	t.Parallel()
	const content = "of the parent"
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })

	p := policy(t)
	found, err := imprison(t, p, []*os.File{file}, "inherited", content)
	require.NoError(t, err, found.Error)
	require.NotEmpty(t, found.Error)
	p.Keep = []uintptr{3}
	found, err = imprison(t, p, []*os.File{file}, "inherited", content)
	require.NoError(t, err, found.Error)
	require.Empty(t, found.Error)
}

func TestDescriptorsAreLimited(t *testing.T) {
	t.Parallel()
	requireRefused(t, "too many open files", "descriptors")
}
