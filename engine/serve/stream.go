package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"veracity/engine"
)

// gauge is how much of a job is done. It takes what hostile arithmetic makes of that, and never goes back.
type gauge struct{ bits atomic.Uint64 }

// set notes progress, from 0 to 1.
func (g *gauge) set(done float64) {
	if math.IsNaN(done) {
		return
	}
	done = min(max(done, 0), 1)
	for {
		old := g.bits.Load()
		if done <= math.Float64frombits(old) || g.bits.CompareAndSwap(old, math.Float64bits(done)) {
			return
		}
	}
}

func (g *gauge) get() float64 { return math.Float64frombits(g.bits.Load()) }

// errUndelivered says that the answer of a job broke off. Nothing can be said on it any more.
var errUndelivered = errors.New("the answer broke off")

// stream is the answer of a job: lines of JSON, and then an output.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

func newStream(w http.ResponseWriter, stall time.Duration) *stream {
	w.Header().Set("Content-Type", engine.JobContentType)
	return &stream{w: w, control: http.NewResponseController(w), stall: stall}
}

// line sends one line at once.
func (s *stream) line(line engine.JobLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write a line as JSON: %w", err)
	}
	return s.write(append(text, '\n'), answerTimeout)
}

// write sends p, which may stand still for no longer than stall.
func (s *stream) write(p []byte, stall time.Duration) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(stall)); err != nil {
		return fmt.Errorf("%w: %w", errUndelivered, err)
	}
	if _, err := s.w.Write(p); err != nil {
		return fmt.Errorf("%w: %w", errUndelivered, err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errUndelivered, err)
	}
	return nil
}

// outputBlock is how much of an output is in memory at once.
const outputBlock = 64 << 10

// output sends the line that tells of a rendering and the file at path, which is its output.
func (s *stream) output(ctx context.Context, path string, rendered engine.Rendered) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the output: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the output: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() != rendered.Bytes {
		return fmt.Errorf("look at the output: a file of %d bytes was to be expected, this has %d", rendered.Bytes, info.Size())
	}
	if err := s.line(engine.JobLine{Rendered: &rendered}); err != nil {
		return err
	}
	return s.copy(ctx, io.LimitReader(file, rendered.Bytes))
}

// copy sends the bytes of an output. It ends with the job's time: an output that nobody fetches keeps its room.
func (s *stream) copy(ctx context.Context, output io.Reader) error {
	block := make([]byte, outputBlock)
	for ctx.Err() == nil {
		n, err := output.Read(block)
		if n > 0 {
			if err := s.write(block[:n], s.stall); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: read the output: %w", errUndelivered, err)
		}
	}
	return fmt.Errorf("%w: %w", errUndelivered, context.Cause(ctx))
}
