package sign

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"veracity/engine/c2pa/cbor"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	// storeChunk holds manifest stores (specification 2.2, section A.3.2).
	storeChunk = "caBX"
	// chunkFrame is what a chunk has besides its data: length, type and checksum.
	chunkFrame = 12
)

// PNG puts a composed store into a PNG, as a caBX chunk before the first IDAT, bound by c2pa.hash.data. Its errors wrap
// ErrNoPNG and ErrSigned.
func PNG(png []byte, compose Composer) ([]byte, Unsigned, error) {
	at, err := firstPixels(png)
	if err != nil {
		return nil, Unsigned{}, fmt.Errorf("write a manifest into PNG: %w", err)
	}
	digest := sha256.Sum256(png) // All but the chunk, which is new.
	first := compose(dataHash(at, math.MaxUint32, 0, digest))
	length := len(first.Bytes) + chunkFrame
	pad := len(cbor.Encode(math.MaxUint32)) - len(cbor.Encode(length))
	store := compose(dataHash(at, length, pad, digest))
	if len(store.Bytes) != len(first.Bytes) || int64(length) > math.MaxInt32 {
		return nil, Unsigned{}, fmt.Errorf("write a manifest into PNG: the store of %d bytes does not fit its place of %d", len(store.Bytes), len(first.Bytes))
	}
	chunk := binary.BigEndian.AppendUint32(make([]byte, 0, length), uint32(len(store.Bytes))) //nolint:gosec // Checked above.
	chunk = append(append(chunk, storeChunk...), store.Bytes...)
	sum := crc32.ChecksumIEEE(chunk[4 : 8+store.Signature])
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	u := Unsigned{Claim: store.Claim, At: int64(at + 8 + store.Signature), Room: len(store.Bytes) - store.Signature, Sum: &sum}
	return bytes.Join([][]byte{png[:at], chunk, png[at:]}, nil), u, nil
}

// dataHash binds a file whose chunk of length bytes at start is left out (specification 2.2, section 18.5).
func dataHash(start, length, pad int, digest [sha256.Size]byte) Assertion {
	return Assertion{Label: "c2pa.hash.data", Value: cbor.Members{
		{Key: "exclusions", Value: []any{cbor.Members{{Key: "start", Value: start}, {Key: "length", Value: length}}}},
		{Key: "name", Value: "jumbf manifest"},
		{Key: "alg", Value: hashName},
		{Key: "hash", Value: digest[:]},
		{Key: "pad", Value: make([]byte, pad)},
	}}
}

// firstPixels is where the first IDAT chunk begins.
func firstPixels(png []byte) (int, error) {
	if !bytes.HasPrefix(png, []byte(pngSignature)) {
		return 0, ErrNoPNG
	}
	found := 0
	for at := len(pngSignature); at < len(png); {
		rest := png[at:]
		if len(rest) < chunkFrame || int64(binary.BigEndian.Uint32(rest)) > int64(len(rest)-chunkFrame) {
			return 0, fmt.Errorf("%w: a chunk is cut short", ErrNoPNG)
		}
		switch string(rest[4:8]) {
		case storeChunk:
			return 0, ErrSigned
		case "IDAT":
			if found == 0 {
				found = at
			}
		}
		at += chunkFrame + int(binary.BigEndian.Uint32(rest))
	}
	if found == 0 {
		return 0, fmt.Errorf("%w: it has no picture", ErrNoPNG)
	}
	return found, nil
}
