package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// span is the part of a blob that a ranged GET asks for; nil is the whole.
type span struct {
	offset, length int64
}

// header is the Range of the request (RFC 9110, section 14.1.2), nil for the whole.
func (s *span) header() *string {
	if s == nil {
		return nil
	}
	h := fmt.Sprintf("bytes=%d-%d", s.offset, s.offset+s.length-1)
	return &h
}

// check holds the Content-Range of the answer (RFC 9110, section 14.4) against what was asked for: a server or a proxy
// that does not know ranges answers with the whole blob, whose bytes must not be taken for those of the part. Only the
// blob's end may cut the part short.
func (s *span) check(contentRange *string) error {
	if s == nil {
		return nil
	}
	if contentRange == nil {
		return fmt.Errorf("bytes %d to %d were asked for, and the answer is not a part", s.offset, s.offset+s.length-1)
	}
	_, total, _ := strings.Cut(*contentRange, "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if want := fmt.Sprintf("bytes %d-%d/%d", s.offset, min(s.offset+s.length, size)-1, size); err != nil || *contentRange != want {
		return fmt.Errorf("bytes %d to %d were asked for, and the answer holds %.100q", s.offset, s.offset+s.length-1, *contentRange)
	}
	return nil
}
