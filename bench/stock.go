package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stocked gives the path of a clip that ffmpeg makes of the given arguments, its output's name left out. A clip is drawn
// once: the work folder keeps it for later runs under a name that changes with the arguments.
func (r *rig) stocked(ctx context.Context, name string, args ...string) (string, error) {
	if err := os.MkdirAll(r.options.work, 0o750); err != nil {
		return "", fmt.Errorf("make the work folder: %w", err)
	}
	// Wherever the folder lies, the clip is the same.
	recipe := strings.ReplaceAll(strings.Join(args, "\x00"), r.options.work, "")
	path := filepath.Join(r.options.work, name+"-"+digest([]byte(recipe))+".mp4")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	fmt.Fprintf(os.Stderr, "bench: drawing %s, once for all runs\n", name)
	// A clip that is there is whole: a run that is stopped leaves none.
	unfinished := path + ".part"
	if _, err := ffmpeg(ctx, append(args, "-f", "mp4", "-y", unfinished)...); err != nil {
		return "", fmt.Errorf("draw %s: %w", name, err)
	}
	if err := os.Rename(unfinished, path); err != nil {
		return "", fmt.Errorf("keep %s: %w", name, err)
	}
	return path, nil
}

// digest tells contents apart, in a file's name.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// ffmpeg runs the system's ffmpeg as anyone would.
func ffmpeg(ctx context.Context, args ...string) (effort, error) {
	took, _, err := tool(ctx, "ffmpeg", append([]string{"-nostdin", "-v", "error"}, args...)...)
	return took, err
}

// The parts of a scene of 20 s that, nine times over, is a clip of three minutes.
const (
	sceneSeconds = 20
	scenes       = 9
)

// longClip is a clip of 3 minutes of 1080p at 30 frames a second and some 6 Mbit/s, with a tone in AAC or silent. Its
// scene is drawn once and then copied, so that key frames and sizes are those of an ordinary encoder.
func (r *rig) longClip(ctx context.Context, sound bool) (string, error) {
	scene, err := r.stocked(ctx, "scene-1080p",
		"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=1920x1080:r=30:d=%d,noise=alls=6:allf=t", sceneSeconds),
		"-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-maxrate", "8M", "-bufsize", "16M", "-pix_fmt", "yuv420p")
	if err != nil {
		return "", err
	}
	looped := []string{"-stream_loop", fmt.Sprint(scenes - 1), "-i", scene}
	if !sound {
		return r.stocked(ctx, "clip-1080p", append(looped, "-c", "copy")...)
	}
	return r.stocked(ctx, "clip-1080p-sound", append(looped,
		"-f", "lavfi", "-i", fmt.Sprintf("sine=f=330:r=44100:d=%d", sceneSeconds*scenes),
		"-c:v", "copy", "-c:a", "aac", "-b:a", "128k", "-shortest")...)
}
