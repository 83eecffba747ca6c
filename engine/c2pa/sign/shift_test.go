package sign

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// memory is a file in memory.
type memory struct {
	data []byte
	read int
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	m.read += len(p)
	return copy(p, m.data[at:]), nil
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if grown := int(at) + len(p); grown > len(m.data) {
		m.data = append(m.data, make([]byte, grown-len(m.data))...)
	}
	return copy(m.data[at:], p), nil
}

func TestShiftingKeepsEveryByteAndReadsItOnce(t *testing.T) {
	t.Parallel()
	for _, sizes := range [][2]int{
		{0, 1},
		{1, 1},
		{stride, 1},
		{stride, stride},
		{stride + 1, stride},
		{stride - 1, stride + 1},
		{5 * stride, 100},
		{5*stride + 7, 2*stride + 3},
		{3 * stride, 3 * stride},
		{10, 4 * stride},
	} {
		const start = 13
		size, n := sizes[0], sizes[1]
		before := make([]byte, start+size)
		random := rand.NewChaCha8([32]byte{byte(size), byte(n)})
		_, err := random.Read(before)
		require.NoError(t, err)
		file := &memory{data: append([]byte{}, before...)}
		seen := []byte{}
		require.NoError(t, shift(file, start, int64(len(before)), int64(n), func(at int64, p []byte) {
			require.Equal(t, int64(start+len(seen)), at)
			seen = append(seen, p...)
			if at == start && len(p) > 0 {
				p[0]++ // What is seen may be changed.
			}
		}))
		require.Equal(t, before[start:], seen)
		require.Equal(t, size, file.read)
		require.Equal(t, before[:start], file.data[:start])
		if size > 0 {
			before[start]++
			require.Equal(t, before[start:], file.data[start+n:])
		}
	}
}

func TestTheHashHasThePlacesOfBoxesAndNothingOfThoseLeftOut(t *testing.T) {
	t.Parallel()
	want := sha256.New()
	offset := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	for _, part := range [][]byte{offset(1020), []byte("moov...."), offset(1031), []byte("mdat......")} {
		want.Write(part)
	}
	data := []byte("moov....mfrmdat......ft")
	for step := 1; step <= len(data); step++ {
		h := &hasher{digest: sha256.New(), at: 20, growth: 1000, boxes: []place{
			{"moov", 20, 28}, {"mfra", 28, 31}, {"mdat", 31, 41}, {"ftyp", 41, 43},
		}}
		for rest := data; len(rest) > 0; rest = rest[min(step, len(rest)):] {
			h.write(rest[:min(step, len(rest))])
		}
		require.Equal(t, want.Sum(nil), h.digest.Sum(nil), step)
	}
}
