package ffmpeg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Run starts ffmpeg with args behind the options that every start has: it asks nothing, overwrites outputs and complains
// on standard error alone. Inputs are to be named by [Tool.Input]. progress, when set, is told now and then how many
// seconds of the output are done. The error holds what ffmpeg said first; ErrOverTime after Config.RunTimeout.
func (t *Tool) Run(ctx context.Context, args []string, progress func(seconds float64)) error {
	c := call{program: t.cfg.FFmpeg, limit: t.cfg.RunTimeout}
	c.args = append(leading(), "-y", "-nostats")
	if progress != nil {
		c.args = append(c.args, "-progress", c.take(readProgress(progress)))
	}
	c.args = append(c.args, args...)
	if err := t.run(ctx, c); err != nil {
		return fmt.Errorf("run ffmpeg: %w", err)
	}
	return nil
}

// readProgress reads the name=value lines of ffmpeg's -progress.
func readProgress(progress func(seconds float64)) func(io.Reader) error {
	return func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			text, found := strings.CutPrefix(lines.Text(), "out_time_us=")
			if micros, err := strconv.ParseInt(text, 10, 64); found && err == nil && micros >= 0 {
				progress(float64(micros) / 1e6)
			}
		}
		if err := lines.Err(); err != nil {
			return fmt.Errorf("read ffmpeg's progress: %w", err)
		}
		return nil
	}
}
