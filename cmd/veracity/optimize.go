package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"veracity/engine"
	"veracity/platform/fault"
)

func optimizeCommand(s *Settings) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "optimize FILE -o OUT", Short: "Optimize a local image (to PNG) or video (to MP4), without a server or an account",
		Args: oneArg("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usageError{errors.New("say where the optimized file goes: -o OUT")}
			}
			return s.withEngine(cmd.Context(), func(ctx context.Context, started startedEngine) error {
				return s.optimizeFile(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr(), started, args[0], out)
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write")
	return cmd
}

// optimizedFile is the output of `optimize --json`.
type optimizedFile struct {
	File        string                   `json:"file"`
	Output      string                   `json:"output"`
	ContentType string                   `json:"content_type"`
	Bytes       int64                    `json:"bytes"`
	SourceBytes int64                    `json:"source_bytes"`
	Width       int                      `json:"width"`
	Height      int                      `json:"height"`
	Score       engine.OptimizationScore `json:"optimization_score"`
	Video       *engine.RenderedVideo    `json:"video,omitempty"`
	Detail      any                      `json:"detail,omitempty"`
}

func (s *Settings) optimizeFile(ctx context.Context, out, notes io.Writer, worker engine.Worker, name, to string) error {
	file, err := openLocal(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if file.media != engine.Image && file.media != engine.Video {
		return fault.New(fault.UnsupportedMedia, "%s is neither an image nor a video that is read here.", name)
	}
	if same, err := sameFile(name, to); err != nil || same {
		return errors.Join(err, fault.New(fault.InvalidParameter, "OUT is FILE itself: name another file."))
	}
	signer, err := s.signer()
	if err != nil {
		return err
	}
	bar := newProgressBar(notes)
	rendered, err := worker.Render(ctx, engine.RenderRequest{
		Source: file.source(), Media: file.media, MaxSeconds: engine.MaxClipSeconds, Progress: bar.set, Sign: signer,
		Save: func(_ context.Context, _ engine.Rendered, body io.Reader) error { return writeFile(to, body) },
	})
	bar.done()
	if err != nil {
		return err
	}
	if s.JSON {
		return json.NewEncoder(out).Encode(optimizedFile{
			File: name, Output: to, ContentType: rendered.ContentType, Bytes: rendered.Bytes, SourceBytes: file.size,
			Width: rendered.Width, Height: rendered.Height, Score: rendered.Score, Video: rendered.Video, Detail: rendered.Detail,
		})
	}
	_, err = fmt.Fprintf(out, "%s  %d x %d, %s (source %s), score %d (%s)\n", to, rendered.Width, rendered.Height,
		size(rendered.Bytes), size(file.size), rendered.Score.Score, rendered.Score.Zone)
	return err
}

// sameFile tells whether both names lead to one file; one that does not exist yet is no other.
func sameFile(a, b string) (bool, error) {
	second, err := os.Stat(b)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", b, err)
	}
	first, err := os.Stat(a)
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", a, err)
	}
	return os.SameFile(first, second), nil
}

// writeFile writes body to a file that appears whole or not at all.
func writeFile(name string, body io.Reader) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(name), ".veracity-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = io.Copy(temp, body)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(temp.Name(), name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// size is a number of bytes as people read it.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
