package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Signer makes the signature of the Content Credentials that an output carries. The engine decodes hostile media, so it
// never holds the key: it builds the manifest, leaves room for the signature, and its caller signs.
type Signer interface {
	// Room is how many bytes a signature takes, 1 to MaxSignature.
	Room() int
	// Sign makes a COSE_Sign1 of the claim, exactly Room bytes long.
	Sign(ctx context.Context, claim []byte) ([]byte, error)
}

// Bounds on Content Credentials.
const (
	// MaxSignature is the most room that a signature may ask for, in bytes: certificates and a time-stamp.
	MaxSignature = 64 << 10
	// maxClaim bounds a claim that is signed, in bytes; ours have below 2 KB.
	maxClaim = 64 << 10
)

// Unsigned says what is to be signed of an output, and where in it the signature goes.
type Unsigned struct {
	Claim []byte `json:"claim"`
	// At is the place of the signature's first byte.
	At int64 `json:"at"`
	// Room is the signature's length in bytes.
	Room int `json:"room"`
}

// valid says whether the room is that which was asked for, and lies within an output of the given length.
func (u *Unsigned) valid(room int, size int64) bool {
	if room == 0 || u == nil {
		return room == 0 && u == nil
	}
	return u.Room == room && u.At > 0 && u.At+int64(room) <= size && len(u.Claim) > 0 && len(u.Claim) <= maxClaim
}

// signed is body with the signature in its place.
func signed(ctx context.Context, body io.Reader, u Unsigned, by Signer) (io.Reader, error) {
	signature, err := by.Sign(ctx, u.Claim)
	if err != nil {
		return nil, fmt.Errorf("sign the output: %w", err)
	}
	if len(signature) != u.Room {
		return nil, fmt.Errorf("sign the output: a signature of %d bytes for a room of %d", len(signature), u.Room)
	}
	room := &skipReader{body: body, left: int64(u.Room)}
	return io.MultiReader(io.LimitReader(body, u.At), room, bytes.NewReader(signature), body), nil
}

// skipReader reads what it skips when it is read, and yields nothing.
type skipReader struct {
	body io.Reader
	left int64
}

// Read implements io.Reader. A body that ends within what is skipped is cut short.
func (s *skipReader) Read([]byte) (int, error) {
	n, err := io.CopyN(io.Discard, s.body, s.left)
	s.left -= n
	if err == io.EOF && s.left > 0 { //nolint:errorlint // CopyN answers it bare.
		return 0, io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, err
	}
	return 0, io.EOF
}
