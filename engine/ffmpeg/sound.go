package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// maxSampleRate bounds the rate that is asked for, in Hz.
const maxSampleRate = 192_000

// Sound decodes the clip's sound track to one channel of signed 16-bit samples, little endian, at the given rate in Hz
// (1,000 to 192,000), while it is being read. The caller must close the reader, which ends the decoder. Reading fails with
// ErrUndecodable when nothing can be decoded or the decoder fails, and with ErrOverTime after Config.ReadTimeout.
//
// ErrNoSound: the clip has no sound track.
func (t *Tool) Sound(ctx context.Context, clip Clip, rate int) (io.ReadCloser, error) {
	if clip.Sound == nil {
		return nil, fmt.Errorf("read sound: %w", ErrNoSound)
	}
	if rate < 1000 || rate > maxSampleRate {
		return nil, fmt.Errorf("read sound: the rate is %d: 1,000 to %d Hz are needed", rate, maxSampleRate)
	}
	input, err := t.fileInput(clip.Path, clip.Format)
	if err != nil {
		return nil, fmt.Errorf("read sound: %w", err)
	}
	args := append(append(leading(), "-threads", "1", "-vn", "-sn", "-dn"), input...)
	// What is longer than was counted is no sound that the clip has.
	args = append(args, "-map", "0:"+strconv.Itoa(clip.Sound.Index), "-t", decimal(clip.Sound.Seconds+1),
		"-filter_threads", "1", "-ac", "1", "-ar", strconv.Itoa(rate), "-c:a", "pcm_s16le", "-f", "s16le", "pipe:1")
	return t.stream(ctx, call{program: t.cfg.FFmpeg, args: args, limit: t.cfg.ReadTimeout})
}

// stream starts a program and gives what it writes to its standard output.
func (t *Tool) stream(ctx context.Context, c call) (io.ReadCloser, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("read sound: make a pipe: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, ErrOverTime)
	p, err := t.spawn(ctx, c, &wires{stdout: w})
	_ = w.Close()
	if err != nil {
		cancel()
		_ = r.Close()
		return nil, fmt.Errorf("read sound: %w", err)
	}
	return &stream{from: r, program: p, cancel: cancel, cause: func() error { return context.Cause(ctx) }}, nil
}

// stream is the output of a running program.
type stream struct {
	from    *os.File
	program *process
	cancel  context.CancelFunc
	cause   func() error
	read    int64
}

// Read gives the program's failure in place of the end of what it wrote.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	s.read += int64(n)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	failed := s.program.wait()
	if cause := s.cause(); cause != nil {
		failed = cause
	}
	switch {
	case failed != nil:
		return n, fmt.Errorf("read sound: %w", ofFile(failed))
	case s.read == 0:
		return n, fmt.Errorf("read sound: %w: no sample came out of the decoder", ErrUndecodable)
	}
	return n, err
}

// Close ends the program and waits for its end.
func (s *stream) Close() error {
	s.cancel()
	err := s.from.Close()
	<-s.program.ended
	return err
}
