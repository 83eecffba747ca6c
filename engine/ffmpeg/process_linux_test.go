package ffmpeg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// endless are arguments for a run that does not end by itself.
func endless() []string {
	return []string{"-f", "lavfi", "-i", "testsrc=s=16x16", "-f", "null", "-"}
}

// alive says whether a process is there and is no zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(state, "Z")
}

// started starts a program that does not end by itself.
func started(t *testing.T, tool *Tool) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := tool.spawn(ctx, call{program: tool.cfg.FFmpeg, args: append(leading(), endless()...)}, &wires{})
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		<-p.ended
	})
	return p
}

func TestProgramsAreRestrained(t *testing.T) {
	t.Parallel()
	tool := newTool(t, func(c *Config) { c.Nice, c.MemoryBytes = 7, 300<<20 })
	pid := started(t, tool).cmd.Process.Pid
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	require.NoError(t, err)
	require.Regexp(t, `Max data size +314572800 +314572800 `, string(limits))

	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, fields, _ := strings.Cut(string(stat), ") ")
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	require.NoError(t, err)
	const niceness = 16 // its place after the name (proc_pid_stat(5))
	require.Equal(t, strconv.Itoa(max(7, 20-own)), strings.Fields(fields)[niceness])

	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	require.NoError(t, err)
	require.Equal(t, strings.Join(environment, "\x00")+"\x00", string(environ))

	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	require.Equal(t, pid, group)
}

func TestARunEndsAtItsTime(t *testing.T) {
	t.Parallel()
	tool := newTool(t, func(c *Config) { c.RunTimeout, c.ReadTimeout = 300*time.Millisecond, time.Nanosecond })
	began := time.Now()
	err := tool.Run(t.Context(), endless(), nil)
	require.ErrorIs(t, err, ErrOverTime)
	require.Less(t, time.Since(began), 20*time.Second)

	path := clips.File(t, clips.Spec{Format: probe.MP4})
	_, err = tool.Probe(t.Context(), path, probe.MP4)
	require.ErrorIs(t, err, ErrOverTime)
	clip := probed(t, newTool(t), clips.Spec{Format: probe.MP4, Sound: clips.Tone})
	_, err = tool.Frames(t.Context(), clip, []float64{0}, 160)
	require.ErrorIs(t, err, ErrOverTime)
	_, err = drain(tool.Sound(t.Context(), clip, 16_000))
	require.ErrorIs(t, err, ErrOverTime)
}

func TestARunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan float64, 1000)
	done := make(chan error, 1)
	go func() { done <- newTool(t).Run(ctx, endless(), func(s float64) { told <- s }) }()
	require.Positive(t, <-told)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestWhatAReaderRefusesEndsTheProgram(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	c := call{program: tool.cfg.FFmpeg, limit: time.Minute}
	refusal := fmt.Errorf("%w: enough", ErrUndecodable)
	c.args = append(leading(), "-f", "lavfi", "-i", "testsrc=s=16x16", "-f", "rawvideo", c.take(func(r io.Reader) error {
		if _, err := io.ReadFull(r, make([]byte, 1000)); err != nil {
			return err
		}
		return refusal
	}))
	require.ErrorIs(t, tool.run(t.Context(), c), ErrUndecodable)
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	// The source is small: ffmpeg waits for ever on a lavfi source, which no clip is, that gets no memory itself.
	args := []string{"-f", "lavfi", "-i", "testsrc=s=64x64", "-vf", "scale=8192:4096,format=gbrpf32le", "-frames:v", "1", "-f", "null", "-"}
	tool := newTool(t, func(c *Config) { c.MemoryBytes, c.RunTimeout = leastMemory, time.Minute })
	err := tool.Run(t.Context(), args, nil)
	var exit *exitError
	require.ErrorAs(t, err, &exit)
	require.NoError(t, newTool(t).Run(t.Context(), args, nil))
}

// roleParent makes the test binary a process that starts a program which does not end, says its number and waits.
const roleParent = "parent"

func beParent() error {
	tool, err := New(DefaultConfig())
	if err != nil {
		return err
	}
	p, err := tool.spawn(context.Background(), call{program: tool.cfg.FFmpeg, args: append(leading(), endless()...)}, &wires{})
	if err != nil {
		return err
	}
	fmt.Println(p.cmd.Process.Pid)
	return p.wait()
}

func TestAKilledProcessLeavesNoProgramBehind(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.CommandContext(t.Context(), self, roleParent)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, alive(pid))
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !alive(pid) }, 10*time.Second, 10*time.Millisecond)
}

func TestNoProgramAndNoDescriptorIsLeft(t *testing.T) {
	t.Parallel()
	// A process of its own, since other tests open files meanwhile.
	self, err := os.Executable()
	require.NoError(t, err)
	path := clips.File(t, clips.Spec{Format: probe.MP4, Sound: clips.Tone})
	out, err := exec.CommandContext(t.Context(), self, roleTidy, path).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "tidy\n", string(out))
}

// roleTidy makes the test binary a process that reads a clip in every way, and looks at what is left of it.
const roleTidy = "tidy"

func beTidy(path string) error {
	tool, err := New(DefaultConfig())
	if err != nil {
		return err
	}
	ctx := context.Background()
	var before int
	for round := range 2 {
		if _, _, err := readAll(ctx, tool, path, filepath.Join(filepath.Dir(path), "out.mp4")); err != nil {
			return err
		}
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		// The first round opens what the Go runtime keeps.
		if round == 0 {
			before = len(files)
		} else if len(files) > before {
			return fmt.Errorf("%d descriptors are open, %d before", len(files), before)
		}
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err == nil && len(children) > 0 {
		return fmt.Errorf("children are left: %s", children)
	}
	fmt.Println("tidy")
	return nil
}
