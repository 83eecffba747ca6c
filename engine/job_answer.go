package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxLineBytes bounds all lines of a job's answer together: a report, and progress twice a second for days.
const maxLineBytes = 2 * maxAnswerBytes

// jobAnswer reads a job's answer: its lines, and then its output.
type jobAnswer struct {
	ctx   context.Context //nolint:containedctx // It lives as long as one exchange and tells why that broke.
	in    *bufio.Reader
	pulse *pulse
	read  int
}

func newJobAnswer(ctx context.Context, body io.Reader, p *pulse) *jobAnswer {
	return &jobAnswer{ctx: ctx, in: bufio.NewReaderSize(body, 64<<10), pulse: p}
}

// last passes progress on and answers the line that ends the job. A refusal is its error.
func (a *jobAnswer) last(progress func(done float64)) (JobLine, error) {
	for {
		line, err := a.next()
		switch {
		case err != nil:
			return JobLine{}, err
		case line.Refusal != nil:
			return JobLine{}, line.Refusal.Fault()
		case line.Progress == nil:
			return line, nil
		case *line.Progress < 0 || *line.Progress > 1:
			return JobLine{}, errBadAnswer("progress beyond its range")
		case progress != nil:
			a.pulse.rest()
			progress(*line.Progress)
			a.pulse.beat()
		}
	}
}

// next reads one line. A whole line is a sign of life, a part of one is not.
func (a *jobAnswer) next() (JobLine, error) {
	var text []byte
	for {
		part, err := a.in.ReadSlice('\n')
		if a.read += len(part); len(text)+len(part) > maxAnswerBytes || a.read > maxLineBytes {
			return JobLine{}, errBadAnswer("lines without end")
		}
		text = append(text, part...)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return JobLine{}, lost(a.ctx, err)
		}
	}
	a.pulse.beat()
	var line JobLine
	if err := json.Unmarshal(bytes.TrimSpace(text), &line); err != nil {
		return JobLine{}, errBadAnswer("a line that cannot be read")
	}
	parts := 0
	for _, set := range []bool{line.Progress != nil, line.Report != nil, line.Rendered != nil, line.Refusal != nil} {
		if set {
			parts++
		}
	}
	if parts != 1 {
		return JobLine{}, errBadAnswer(fmt.Sprintf("a line of %d parts", parts))
	}
	return line, nil
}

// save hands the output over. What went wrong with its bytes weighs more than what Save made of that.
func (a *jobAnswer) save(ctx context.Context, r Rendered, save func(context.Context, Rendered, io.Reader) error) error {
	out := &outputReader{answer: a, left: r.Bytes}
	a.pulse.rest()
	err := save(ctx, r, out)
	left, failure := out.seal()
	switch {
	case failure != nil:
		return failure
	case err != nil:
		return err
	case left > 0:
		return fmt.Errorf("save the output: %d of its %d bytes were left unread", left, r.Bytes)
	}
	return nil
}

// outputReader yields exactly the promised bytes of an output. The last ones are held back until the answer has ended,
// so that one which is longer than it said never looks whole.
type outputReader struct {
	answer *jobAnswer

	mu      sync.Mutex
	left    int64
	sealed  bool
	failure error
}

// Read implements io.Reader. An answer that is cut short is engine_unavailable, and io.ErrUnexpectedEOF to errors.Is.
func (o *outputReader) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.sealed:
		return 0, errSealed
	case o.failure != nil:
		return 0, o.failure
	case o.left == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	o.answer.pulse.beat()
	defer o.answer.pulse.rest()
	n, err := o.answer.in.Read(p[:min(int64(len(p)), o.left)])
	switch ended := errors.Is(err, io.EOF); {
	case int64(n) == o.left && (err == nil || ended):
		err = o.answer.end()
	case ended:
		err = lost(o.answer.ctx, io.ErrUnexpectedEOF)
	case err != nil:
		err = lost(o.answer.ctx, err)
	}
	if err != nil {
		o.failure = err
		return 0, err
	}
	o.left -= int64(n)
	return n, nil
}

// seal ends the use of the reader: it waits for a Read under way and lets none follow.
func (o *outputReader) seal() (left int64, failure error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealed = true
	return o.left, o.failure
}

// end answers nil where the answer holds nothing more.
func (a *jobAnswer) end() error {
	_, err := a.in.ReadByte()
	switch {
	case err == nil:
		return errBadAnswer("an output longer than it said")
	case errors.Is(err, io.EOF):
		return nil
	}
	return lost(a.ctx, err)
}
