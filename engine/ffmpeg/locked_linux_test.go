package ffmpeg

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/sandbox"
	"veracity/engine/serve"
)

// The test binary is its own prisoner: roleEnter locks itself in as the engine does and becomes rolePrisoner, which reads
// a clip in every way.
const (
	roleEnter    = "enter"
	rolePrisoner = "prisoner"
)

// found is what the prisoner says on its standard output.
type found struct {
	Weaknesses []string
	Clip       Clip
	Times      []float64
	// Samples is how many were decoded, Encoded what became of the clip.
	Samples int
	Encoded Clip
}

func beEntering(encoded, path string) error {
	var policy sandbox.Policy
	if err := json.Unmarshal([]byte(encoded), &policy); err != nil {
		return err
	}
	return sandbox.Enter(policy, []string{os.Args[0], rolePrisoner, path}, []string{"GORACE=atexit_sleep_ms=0"})
}

func bePrisoner(path string) error {
	status, err := sandbox.Describe()
	if err != nil {
		return err
	}
	tool, err := New(DefaultConfig())
	if err != nil {
		return err
	}
	clip, rest, err := readAll(context.Background(), tool, path, filepath.Join(filepath.Dir(path), "out.mp4"))
	if err != nil {
		return err
	}
	rest.Clip, rest.Weaknesses = clip, status.Weaknesses()
	return json.NewEncoder(os.Stdout).Encode(rest)
}

// readAll probes a clip, reads frames and sound of it, and encodes it to out.
func readAll(ctx context.Context, tool *Tool, path, out string) (Clip, found, error) {
	var f found
	clip, err := tool.Probe(ctx, path, probe.MP4)
	if err != nil {
		return clip, f, err
	}
	frames, err := tool.Frames(ctx, clip, eighths(clip.Seconds), 160)
	if err != nil {
		return clip, f, err
	}
	for _, frame := range frames {
		f.Times = append(f.Times, frame.T)
	}
	samples, err := drain(tool.Sound(ctx, clip, 16_000))
	if err != nil {
		return clip, f, err
	}
	f.Samples = len(samples)
	args := append(tool.Input(clip), "-c:v", "libx264", "-preset", "medium", "-c:a", "aac", "-movflags", "+faststart", out)
	if err := tool.Run(ctx, args, func(float64) {}); err != nil {
		return clip, f, err
	}
	f.Encoded, err = tool.Probe(ctx, out, probe.MP4)
	return clip, f, err
}

func TestALockedEngineReadsAndMakesClips(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	engine := serve.DefaultConfig(2)
	policy := sandbox.Policy{
		Program: self, Scratch: t.TempDir(), Exec: engine.Exec,
		Limits: sandbox.Limits{MemoryBytes: engine.MemoryBytes, FileBytes: 4 << 30, OpenFiles: 256, Processes: 4096},
	}
	path := filepath.Join(policy.Scratch, "clip.mp4")
	spec := clips.Spec{Format: probe.MP4, Width: 640, Height: 360, Frames: 40, KeyEvery: 4, Sound: clips.Tone}
	require.NoError(t, os.WriteFile(path, clips.Make(t, spec), 0o600))
	encoded, err := json.Marshal(policy)
	require.NoError(t, err)

	cmd := exec.CommandContext(t.Context(), self, roleEnter, string(encoded), path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var f found
	require.NoError(t, json.Unmarshal(out, &f), string(out))
	require.Empty(t, f.Weaknesses)
	require.Equal(t, 40, f.Clip.Video.Frames)
	require.Len(t, f.Times, 8)
	require.InDelta(t, 16_000*40/30, f.Samples, 1600)
	require.Equal(t, 40, f.Encoded.Video.Frames)
	require.Equal(t, "aac", f.Encoded.Sound.Codec)
}

func TestALockedProgramReadsNoOtherFile(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	policy := sandbox.Policy{
		Program: self, Scratch: t.TempDir(), Exec: serve.DefaultConfig(2).Exec,
		Limits: sandbox.Limits{MemoryBytes: 1 << 30, FileBytes: 1 << 30, OpenFiles: 256, Processes: 4096},
	}
	encoded, err := json.Marshal(policy)
	require.NoError(t, err)
	elsewhere := clips.File(t, clips.Spec{Format: probe.MP4})
	out, err := exec.CommandContext(t.Context(), self, roleEnter, string(encoded), elsewhere).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "Permission denied", fmt.Sprint(err))
}
