// Package storage keeps blobs under keys, on a disk or in an S3 bucket, and hands out one-time upload tickets: signed
// addresses to which a client PUTs a file without a key of ours. Both backends give the same guarantees and pass the
// same tests. It knows no account, no upload row and no media type rule; the S3 SDK's types end here.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"time"
)

// MaxSize is the largest blob in bytes: what S3 takes in a single PUT (5 GiB).
const MaxSize = 5 << 30

// MaxTicketLife is how far ahead a ticket may expire: the limit of a Signature V4 presigned URL.
const MaxTicketLife = 7 * 24 * time.Hour

var (
	// ErrNotFound means that no blob lies under the key.
	ErrNotFound = errors.New("no such blob")
	// ErrUnavailable means that the store does not answer, is full, or refuses this process: nothing is known about the
	// blob, and the same call may work later.
	ErrUnavailable = errors.New("blob store unavailable")
	// ErrSize means that a body was longer or shorter than declared.
	ErrSize = errors.New("body is not as long as declared")
)

// Store keeps blobs. Keys are lower-case letters, digits, '-' and '_' in segments of 1 to 128 characters joined by '/',
// 512 characters in all. Errors other than the ones named are faults of the caller (a bad key, a bad content type) or
// of the body's reader, which are returned as they are. All methods are safe for concurrent use.
type Store interface {
	// Put stores size bytes of body (0 to MaxSize) under key, whole or not at all, and replaces what lay there. A body
	// of another length is ErrSize.
	Put(ctx context.Context, key string, body io.Reader, size int64, contentType string) error
	// Open reads the blob under key; the caller closes it. ctx governs the reading too. ErrNotFound when there is none.
	Open(ctx context.Context, key string) (io.ReadCloser, Info, error)
	// OpenRange reads length bytes of the blob from offset on; the caller closes it, also before its end. A range that
	// does not lie in the blob ends early or is an error. ErrNotFound when there is no blob.
	OpenRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Stat describes the blob under key. ErrNotFound when there is none.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes the blob under key. Deleting what is not there is no error.
	Delete(ctx context.Context, key string) error
	// List yields the blobs whose key starts with prefix ("" is all) and whose last write lies before olderThan, in no
	// promised order. It ends after the first error. Deleting what it yields while it runs is allowed.
	List(ctx context.Context, prefix string, olderThan time.Time) iter.Seq2[Entry, error]
	// Ticket signs an address for one PUT of a blob that does not exist yet. It asks the store whether it is ready
	// first, so that nobody is handed a ticket that cannot work: ErrUnavailable.
	Ticket(ctx context.Context, req TicketRequest) (Ticket, error)
	// Ready is nil when the store answers and takes writes of this process, else ErrUnavailable.
	Ready(ctx context.Context) error
	// Close gives up what the store holds open. No method may be called after it.
	Close() error
}

// Entry is a blob as List finds it.
type Entry struct {
	Key string
	// Size is the length of the blob in bytes.
	Size int64
	// Modified is the time of the last write, to the second.
	Modified time.Time
}

// Info is a blob as Open and Stat find it.
type Info struct {
	Entry
	// ContentType is what Put was given or the ticket said, byte for byte.
	ContentType string
}

// TicketRequest says what one upload will be.
type TicketRequest struct {
	Key string
	// ContentType is the media type that the PUT must name, byte for byte.
	ContentType string
	// Size is the exact length of the file in bytes, 1 to MaxSize.
	Size int64
	// Expires is when the ticket stops working, at most MaxTicketLife ahead. Fractions of a second are rounded up.
	Expires time.Time
}

// Ticket is a signed permission for one PUT. A ticket is as good as a password until it expires: its URL stays out of
// logs. Once the blob is deleted again, an unexpired ticket works a second time; what then arrives is an orphan for
// List. Whether an upload that breaks off is dropped is up to the S3 server (AWS does, versitygw 1.8.0 keeps the short
// file): who reads an upload compares Info.Size with the size that its ticket was for.
type Ticket struct {
	URL    string
	Method string
	// Headers are exactly those that the PUT must carry: Content-Type and If-None-Match.
	Headers map[string]string
}

// Open connects to the store that cfg names. It calls no network; ask Ready for that. The disk store creates its folder.
func Open(ctx context.Context, cfg Config, log *slog.Logger) (Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	loc, err := parseLocation(cfg.URL)
	if err != nil {
		return nil, err
	}
	if loc.s3 == nil {
		return openDisk(cfg, loc.dir, log)
	}
	return openS3(ctx, cfg, *loc.s3)
}

// Handler takes the PUTs of s's tickets when they point at this service, to be mounted at UploadPath. It is false when
// tickets point elsewhere.
func Handler(s Store) (http.Handler, bool) {
	h, ok := s.(http.Handler)
	return h, ok
}

// unavailable marks err, an error of the store itself, as ErrUnavailable.
func unavailable(act string, err error) error {
	return fmt.Errorf("%s: %w: %w", act, ErrUnavailable, err)
}
