package engine

import (
	"context"
	"fmt"
	"io"

	"veracity/engine/c2pa/splice"
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

// signable says whether u has the room that was asked for, within an output of the given length.
func signable(u *splice.Unsigned, room int, size int64) bool {
	if room == 0 || u == nil {
		return room == 0 && u == nil
	}
	return u.Room == room && u.At > 0 && u.At+u.Length() <= size && len(u.Claim) > 0 && len(u.Claim) <= maxClaim
}

// signed is body with the signature in its place.
func signed(ctx context.Context, body io.Reader, u splice.Unsigned, by Signer) (io.Reader, error) {
	signature, err := by.Sign(ctx, u.Claim)
	if err != nil {
		return nil, fmt.Errorf("sign the output: %w", err)
	}
	return splice.Into(body, u, signature)
}
