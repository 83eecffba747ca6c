package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// resumeProgress is how many bytes earn a read that broke off its whole allowance of resumptions again. A store that
// gives a few bytes at a time is so given up too.
const resumeProgress = 1 << 20

// resumeWaits are the pauses before a read that broke off is resumed, and their number is the allowance.
var resumeWaits = [...]time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// stretch reads the bytes of a blob from at to end. A read that breaks off goes on where it was: a transfer of a
// gigabyte outlives a connection.
type stretch struct {
	ctx     context.Context //nolint:containedctx // io.Reader passes none.
	store   Store
	info    Info
	at, end int64
	body    io.ReadCloser
	// resumed counts the resumptions that are spent, broke is where the last of them began.
	resumed int
	broke   int64
}

// Read implements io.Reader.
func (s *stretch) Read(p []byte) (int, error) {
	if s.at >= s.end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.end-s.at)]
	if len(p) == 0 {
		return 0, nil
	}
	if s.body == nil {
		// The store has its own retries for what has not begun.
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	for {
		n, err := s.body.Read(p)
		s.at += int64(n)
		if err == nil || s.at >= s.end {
			return n, nil
		}
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("read %s: %w at byte %d of %d", s.info.Key, io.ErrUnexpectedEOF, s.at, s.info.Size)
		}
		if err = s.resume(err); err != nil || n > 0 {
			return n, err
		}
	}
}

// resume opens the blob anew after err broke the reading off, and is the last error once the allowance is spent.
func (s *stretch) resume(err error) error {
	if s.at-s.broke >= resumeProgress {
		s.resumed = 0
	}
	s.broke = s.at
	for s.resumed < len(resumeWaits) && passing(err) {
		_ = s.Close() // what broke it is known
		if !s.pause(resumeWaits[s.resumed]) {
			return translate(s.ctx, "resume "+s.info.Key, err)
		}
		s.resumed++
		if err = s.reopen(); err == nil {
			return nil
		}
	}
	return errors.Join(err, s.Close())
}

// passing is true for what may be over in a moment: no answer, or less of one than was promised.
func passing(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, io.ErrUnexpectedEOF)
}

// pause is false when ctx ends first.
func (s *stretch) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return s.ctx.Err() == nil
	case <-s.ctx.Done():
		return false
	}
}

// reopen opens the rest of the blob and makes sure, as far as size and time tell, that it is the one that was begun. It
// looks after the opening: one that is replaced in between is then seen.
func (s *stretch) reopen() error {
	if err := s.open(); err != nil {
		return err
	}
	info, err := s.store.Stat(s.ctx, s.info.Key)
	if err != nil {
		return err
	}
	if info.Size != s.info.Size || !info.Modified.Equal(s.info.Modified) {
		return fmt.Errorf("resume %s: it was replaced while it was read", s.info.Key)
	}
	return nil
}

func (s *stretch) open() error {
	body, err := s.store.OpenRange(s.ctx, s.info.Key, s.at, s.end-s.at)
	if err != nil {
		return err
	}
	s.body = body
	return nil
}

// Close implements io.Closer. A Read after it opens the rest anew.
func (s *stretch) Close() error {
	if s.body == nil {
		return nil
	}
	body := s.body
	s.body = nil
	return body.Close()
}
