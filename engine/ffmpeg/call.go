package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// call is one start of a program.
type call struct {
	program string
	args    []string
	// limit bounds its time.
	limit time.Duration
	// stdout reads what it writes, nil to let it write nowhere.
	stdout func(io.Reader) error
	// pipes are its descriptors from firstPipe on.
	pipes []pipe
}

// pipe is read by the program when it is fed and written by it otherwise.
type pipe struct {
	feed []byte
	take func(io.Reader) error
}

// firstPipe follows standard input, output and error.
const firstPipe = 3

// feed gives bytes to the program and answers the name by which it finds them.
func (c *call) feed(bytes []byte) string {
	c.pipes = append(c.pipes, pipe{feed: bytes})
	return c.lastPipe()
}

// take hands what the program writes under the answered name to f, which runs beside it. f's error ends the program.
func (c *call) take(f func(io.Reader) error) string {
	c.pipes = append(c.pipes, pipe{take: f})
	return c.lastPipe()
}

func (c *call) lastPipe() string { return "pipe:" + strconv.Itoa(firstPipe+len(c.pipes)-1) }

// run starts the program and waits for its end and that of its pipes. The error is an exitError when the program failed,
// ErrOverTime, the end of ctx, or what a taker found.
func (t *Tool) run(ctx context.Context, c call) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, ErrOverTime)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	wires, err := c.wire()
	if err != nil {
		return err
	}
	p, err := t.spawn(ctx, c, wires)
	wires.closeTheirs()
	if err != nil {
		wires.closeOurs()
		return err
	}
	var work errgroup.Group
	for _, do := range wires.work {
		work.Go(func() error {
			err := do()
			if err != nil {
				abort(err)
			}
			return err
		})
	}
	_ = work.Wait() // The first error is the cause of ctx.
	err = p.wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// wires are the pipes of a call: the program's ends, ours, and the work on ours.
type wires struct {
	stdout *os.File
	theirs []*os.File
	ours   []*os.File
	work   []func() error
}

func (c *call) wire() (*wires, error) {
	w := &wires{}
	add := func(p pipe) (*os.File, error) {
		r, out, err := os.Pipe()
		if err != nil {
			w.closeTheirs()
			w.closeOurs()
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		if p.take != nil {
			w.ours = append(w.ours, r)
			w.work = append(w.work, func() error { return takeFrom(r, p.take) })
			return out, nil
		}
		w.ours = append(w.ours, out)
		w.work = append(w.work, func() error { return feedTo(out, p.feed) })
		return r, nil
	}
	for _, p := range c.pipes {
		end, err := add(p)
		if err != nil {
			return nil, err
		}
		w.theirs = append(w.theirs, end)
	}
	if c.stdout != nil {
		end, err := add(pipe{take: c.stdout})
		if err != nil {
			return nil, err
		}
		w.stdout = end
	}
	return w, nil
}

func (w *wires) closeTheirs() {
	for _, f := range w.theirs {
		_ = f.Close()
	}
	if w.stdout != nil {
		_ = w.stdout.Close()
	}
}

func (w *wires) closeOurs() {
	for _, f := range w.ours {
		_ = f.Close()
	}
}

// takeFrom reads the rest too, so that a program which writes more than was asked for is not held up.
func takeFrom(r *os.File, take func(io.Reader) error) error {
	defer func() { _ = r.Close() }()
	if err := take(r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return fmt.Errorf("read a program's output: %w", err)
	}
	return nil
}

// feedTo writes all bytes. A program that ended before it read them says why itself.
func feedTo(w *os.File, bytes []byte) error {
	_, err := w.Write(bytes)
	err = errors.Join(err, w.Close())
	if err != nil && !brokenPipe(err) {
		return fmt.Errorf("feed a program: %w", err)
	}
	return nil
}
