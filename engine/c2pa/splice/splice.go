// Package splice puts a signature into an output that was made without the key. It imports nothing of ours, so that those
// who make outputs and those who sign them share it.
package splice

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Unsigned says what is to be signed and where the signature goes in the output.
type Unsigned struct {
	// Claim is the payload to be signed.
	Claim []byte `json:"claim"`
	// At is the place of the signature in the output, Room its length in bytes.
	At   int64 `json:"at"`
	Room int   `json:"room"`
	// Sum is, in a PNG, the CRC-32 of what stands before the signature in its chunk: the chunk's checksum, which stands right
	// behind the signature, covers the signature too. Nil elsewhere.
	Sum *uint32 `json:"sum,omitempty"`
}

// Length is how many bytes of the output the signature replaces, with the checksum behind it.
func (u Unsigned) Length() int64 {
	if u.Sum == nil {
		return int64(u.Room)
	}
	return int64(u.Room) + crc32.Size
}

// Into reads the output r with the signature in its place, exactly u.Room bytes long. The length of the output stays as
// it is. Reading fails with io.ErrUnexpectedEOF when r ends before the signature does.
func Into(r io.Reader, u Unsigned, signature []byte) (io.Reader, error) {
	if len(signature) != u.Room || u.At < 0 {
		return nil, fmt.Errorf("put in the signature: it has %d bytes, its place %d", len(signature), u.Room)
	}
	patch := signature
	if u.Sum != nil {
		sum := crc32.Update(*u.Sum, crc32.IEEETable, signature)
		patch = binary.BigEndian.AppendUint32(signature[:len(signature):len(signature)], sum)
	}
	return &splice{r: r, start: u.At, patch: patch}, nil
}

// splice lays a patch over what it reads, at is the place of the next byte.
type splice struct {
	r         io.Reader
	at, start int64
	patch     []byte
}

func (s *splice) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	end := s.start + int64(len(s.patch))
	if from, to := max(s.at, s.start), min(s.at+int64(n), end); from < to {
		copy(p[from-s.at:to-s.at], s.patch[from-s.start:])
	}
	s.at += int64(n)
	if err == io.EOF && s.at < end {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
