package binding

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"

	"veracity/engine/c2pa/carrier"
)

// newHash makes the hash of an algorithm that C2PA allows (specification 2.2, section 13.1). None is deprecated.
func newHash(alg string) (hash.Hash, bool) {
	switch alg {
	case "sha256":
		return sha256.New(), true
	case "sha384":
		return sha512.New384(), true
	case "sha512":
		return sha512.New(), true
	}
	return nil, false
}

// feedBlock is how much is read at once: little enough to stay in the processor's cache until it is hashed.
const feedBlock = 128 << 10

// feed reads a file into hashes.
type feed struct {
	r     io.ReaderAt
	block []byte
}

func newFeed(f carrier.File) *feed { return &feed{r: f.R} }

// into writes the bytes of a range to a hash.
func (f *feed) into(ctx context.Context, h hash.Hash, x carrier.Range) error {
	if f.block == nil && x.Len() > 0 {
		f.block = make([]byte, feedBlock)
	}
	for at := x.Start; at < x.End; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("hash the file: %w", err)
		}
		block := f.block[:min(feedBlock, x.End-at)]
		n, err := f.r.ReadAt(block, at)
		if n < len(block) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read %d bytes at %d: %w", len(block), at, err)
		}
		// A hash takes every write.
		_, _ = h.Write(block)
		at += int64(n)
	}
	return nil
}
