package probe_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// hostileTables are files of a few megabytes whose tables would swell in memory, or loop, if they were believed.
func hostileTables() map[string][]byte {
	const big = 4 << 20
	be := binary.BigEndian
	meta := func(boxes ...[]byte) []byte {
		return append(mediatest.FileType("avif", "avif"), mediatest.FullBox("meta", 0, boxes...)...)
	}
	reference := mediatest.Box("dimg", []byte{0, 1, 0xFF, 0xFF}, make([]byte, 2*0xFFFF))
	association := be.AppendUint32(nil, 1<<31)
	for range big / 258 {
		association = append(append(association, 0, 1, 255), make([]byte, 255)...)
	}
	locations := be.AppendUint16([]byte{0, 0}, 0xFFFF)
	for i := range 0xFFFF {
		locations = append(be.AppendUint16(locations, uint16(i)), 0, 0, 0xFF, 0xFF)
	}
	tiff := append([]byte("II*\x00\x08\x00\x00\x00"), 0xFF, 0xFF)
	return map[string][]byte{
		"references":      meta(mediatest.FullBox("iref", 0, bytes.Repeat(reference, 32))),
		"associations":    meta(mediatest.Box("iprp", mediatest.FullBox("ipma", 0, association))),
		"properties":      meta(mediatest.Box("iprp", mediatest.Box("ipco", bytes.Repeat(mediatest.Box("free"), big/8)))),
		"locations":       meta(mediatest.FullBox("iloc", 0, locations)),
		"boxes":           append(mediatest.FileType("avif", "avif"), bytes.Repeat(mediatest.Box("free"), big/8)...),
		"TIFF entries":    append(tiff, make([]byte, big)...),
		"JPEG fill bytes": append([]byte("\xFF\xD8\xFF"), bytes.Repeat([]byte{0xFF}, big)...),
		"JPEG comments":   append([]byte("\xFF\xD8"), bytes.Repeat([]byte{0xFF, 0xFE, 0, 2}, big/4)...),
		"GIF extensions":  append([]byte("GIF89a\x08\x00\x08\x00\x00\x00\x00"), bytes.Repeat([]byte{0x21, 0xFE, 0}, big/3)...),
		"PNG chunks":      append([]byte("\x89PNG\r\n\x1A\n"), bytes.Repeat(mediatest.Chunk("IDAT", nil), big/12)...),
		"WebP chunks":     riffFile(bytes.Repeat(riffChunk("JUNK", nil), big/8)),
	}
}

//nolint:paralleltest // it measures allocations, which tests that run at once share
func TestHostileTablesCostNoMoreThanTheFile(t *testing.T) {
	for name, data := range hostileTables() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := probe.Header(data, probe.Sniff(data))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(2*len(data)))
			require.Less(t, took, 10*time.Second, "superlinear work would take far longer, a busy machine does not")
		})
	}
}
