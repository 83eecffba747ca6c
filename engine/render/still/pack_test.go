package still

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
)

// material is data of n bytes of which so many in 256 are noise.
func material(n, noise int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(noise)))
	out := make([]byte, n)
	for i := range out {
		if r.IntN(256) < noise {
			out[i] = byte(r.Uint32())
		} else if i > 40 {
			out[i] = out[i-37]
		}
	}
	return out
}

func TestUnfinishedStreamsContinue(t *testing.T) {
	t.Parallel()
	for _, level := range []int{1, 5, 9, 10, 12} {
		d, err := newDeflater(level)
		require.NoError(t, err)
		t.Cleanup(d.close)
		var want, got []byte
		// Stored, fixed and dynamic blocks, one and many, and ends on every bit.
		for _, n := range []int{1, 2, 3, 5, 9, 30, 100, 1000, 70_000, 300_000} {
			for _, noise := range []int{0, 3, 100, 256} {
				data := material(n, noise)
				stream, err := d.compress(nil, data)
				require.NoError(t, err)
				stream, err = unfinish(bytes.Clone(stream))
				require.NoError(t, err)
				want, got = append(want, data...), append(got, stream...)
			}
		}
		last, err := d.compress(nil, []byte("end"))
		require.NoError(t, err)
		back, err := io.ReadAll(flate.NewReader(bytes.NewReader(append(got, last...))))
		require.NoError(t, err)
		require.True(t, bytes.Equal(append(want, "end"...), back))
	}
}

func TestCutStreamsAreNotUnfinished(t *testing.T) {
	t.Parallel()
	d, err := newDeflater(levelBest)
	require.NoError(t, err)
	defer d.close()
	whole, err := d.compress(nil, material(3000, 40))
	require.NoError(t, err)
	for n := 0; n < len(whole)-1; n += 9 {
		_, err := unfinish(bytes.Clone(whole[:n]))
		require.ErrorIs(t, err, errBlocks)
	}
}

func TestChecksumsCombine(t *testing.T) {
	t.Parallel()
	data := material(300_000, 200)
	for _, at := range []int{0, 1, 65_520, 65_521, 65_522, 299_999, 300_000} {
		a, b := adler32.Checksum(data[:at]), adler32.Checksum(data[at:])
		require.Equal(t, adler32.Checksum(data), combine(a, b, len(data)-at))
	}
}

func TestPiecesMakeOneStream(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(1600, 1000)
	s := &scan{layout: newLayout(1600, 1000, typeRGBA, 8), mode: TruecolourAlpha, pix: p.Pix}
	pieces, err := squeeze(t.Context(), s, filterPaeth, levelGuess, 2)
	require.NoError(t, err)
	require.Len(t, pieces, 2)
	z, err := zlib.NewReader(bytes.NewReader(bytes.Join(pieces, nil)))
	require.NoError(t, err)
	back, err := io.ReadAll(z)
	require.NoError(t, err)
	require.True(t, bytes.Equal(s.filtered(nil, filterPaeth, 0, s.height), back))
}
