package storage

import (
	"fmt"
	"mime"
	"regexp"
	"strings"
	"time"
)

const (
	maxKey         = 512
	maxContentType = 200
)

var (
	keyForm    = regexp.MustCompile(`^[a-z0-9_-]{1,128}(/[a-z0-9_-]{1,128})*$`)
	prefixForm = regexp.MustCompile(`^([a-z0-9_-]{1,128}/)*[a-z0-9_-]{0,128}$`)
)

// checkKey holds the alphabet in which no key can name a parent folder, a hidden file or one of the store's own files.
func checkKey(key string) error {
	if len(key) > maxKey || !keyForm.MatchString(key) {
		return fmt.Errorf("key %.100q: want a-z 0-9 _ - in segments joined by '/', at most %d characters", key, maxKey)
	}
	return nil
}

func checkPrefix(prefix string) error {
	if len(prefix) > maxKey || !prefixForm.MatchString(prefix) {
		return fmt.Errorf("key prefix %.100q: want the start of a key", prefix)
	}
	return nil
}

// checkContentType takes what fits into one HTTP header field and, padded, into the head of a file.
func checkContentType(contentType string) error {
	_, _, err := mime.ParseMediaType(contentType)
	printable := !strings.ContainsFunc(contentType, func(r rune) bool { return r < ' ' || r > '~' })
	if err != nil || !printable || len(contentType) > maxContentType || strings.TrimSpace(contentType) != contentType {
		return fmt.Errorf("content type %.100q: want a media type of at most %d characters", contentType, maxContentType)
	}
	return nil
}

func checkBlob(key string, size int64, contentType string) error {
	if size < 0 || size > MaxSize {
		return fmt.Errorf("size %d of %s: want 0 to %d bytes", size, key, int64(MaxSize))
	}
	if err := checkKey(key); err != nil {
		return err
	}
	return checkContentType(contentType)
}

func (r TicketRequest) check(now time.Time) error {
	if r.Size < 1 {
		return fmt.Errorf("ticket for %d bytes: want at least 1", r.Size)
	}
	if life := r.Expires.Sub(now); life <= 0 || life > MaxTicketLife {
		return fmt.Errorf("ticket for %s: want more than 0 and at most %s", life, MaxTicketLife)
	}
	return checkBlob(r.Key, r.Size, r.ContentType)
}

func checkRange(offset, length int64) error {
	if offset < 0 || length < 1 || length > MaxSize || offset > MaxSize {
		return fmt.Errorf("range of %d bytes from %d: want 1 or more from 0 or later", length, offset)
	}
	return nil
}
