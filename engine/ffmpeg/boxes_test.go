package ffmpeg

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
)

// changed rewrites the first box at a path such as moov/trak/tkhd. What stands before moov keeps its place, so that the
// offsets of the media stay true where moov comes last.
func changed(t *testing.T, file []byte, path string, change func(body []byte) []byte) []byte {
	t.Helper()
	done := false
	kind, inner, deeper := strings.Cut(path, "/")
	var out []byte
	for rest := file; len(rest) > 0; {
		require.GreaterOrEqual(t, len(rest), 8, path)
		size := int(binary.BigEndian.Uint32(rest))
		require.True(t, size >= 8 && size <= len(rest), path)
		body := rest[8:size]
		if !done && string(rest[4:8]) == kind {
			done = true
			if deeper {
				body = changed(t, body, inner, change)
			} else {
				body = change(append([]byte{}, body...))
			}
		}
		out = append(out, mediatest.Box(string(rest[4:8]), body)...)
		rest = rest[size:]
	}
	require.True(t, done, "no box %s", path)
	return out
}

// put writes big-endian 32-bit numbers from an offset on.
func put(body []byte, at int, values ...uint32) []byte {
	for i, v := range values {
		binary.BigEndian.PutUint32(body[at+4*i:], v)
	}
	return body
}

func numbers(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}
