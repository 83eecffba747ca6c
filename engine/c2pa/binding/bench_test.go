package binding_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// BenchmarkData checks a sound file of 64 MB beside a plain SHA-256 of the same bytes in memory.
func BenchmarkData(b *testing.B) {
	wav := append(mediatest.WAV(0), make([]byte, 64<<20)...)
	wav[40], wav[41], wav[42], wav[43] = 0, 0, 0, 4
	whole := carriertest.InRIFF(wav, carriertest.RIFFChunk("C2PA", carriertest.Store(9000)))
	v, err := cbor.Decode(cbor.Encode(dataHash("sha256", whole, len(wav), len(whole))))
	require.NoError(b, err)
	found, err := carrier.Find(open(whole, probe.WAV))
	require.NoError(b, err)
	name := filepath.Join(b.TempDir(), "sound.wav")
	require.NoError(b, os.WriteFile(name, whole, 0o600))
	disk, err := os.Open(name)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, disk.Close()) })

	check := func(f carrier.File) func(*testing.B) {
		return func(b *testing.B) {
			b.Helper()
			b.SetBytes(int64(len(wav)))
			b.ReportAllocs()
			for b.Loop() {
				told, err := binding.Check(b.Context(), f, *found, "c2pa.hash.data", v, "")
				require.NoError(b, err)
				require.Equal(b, status.DataHashMatch, told[0].Code)
			}
		}
	}
	b.Run("memory", check(open(whole, probe.WAV)))
	b.Run("file", check(carrier.File{R: disk, Size: int64(len(whole)), Format: probe.WAV}))
	b.Run("sha256", func(b *testing.B) {
		b.SetBytes(int64(len(wav)))
		want := sha256.Sum256(wav)
		for b.Loop() {
			got := sha256.Sum256(wav)
			require.True(b, bytes.Equal(want[:], got[:]))
		}
	})
}
