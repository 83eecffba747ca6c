package inspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/platform/fault"
)

func TestAcceptTellsWhatCanBeOptimized(t *testing.T) {
	t.Parallel()
	for name, data := range formats(t) {
		found, err := shared.Accept(t.Context(), data)
		require.NoError(t, err, name)
		require.Equal(t, engine.File{Format: name, Bytes: int64(len(data)), Width: 64, Height: 48}, found)
	}
}

func TestAcceptRefusesWhatCannot(t *testing.T) {
	t.Parallel()
	whole := mediatest.JPEG(t, 64, 48)
	for name, c := range map[string]struct {
		data []byte
		want fault.Code
	}{
		"nothing":         {nil, fault.InvalidImage},
		"text":            {[]byte("no image at all"), fault.UnsupportedMedia},
		"an animation":    {mediatest.GIF(t, 64, 48, mediatest.WithFrames(3)), fault.UnsupportedMedia},
		"cut short":       {whole[:len(whole)/2], fault.UnsupportedMedia},
		"too many pixels": {mediatest.BMPFile(30000, 20000, 24, 0, nil, make([]byte, 64)), fault.TooManyPixels},
		"a video":         {mediatest.MP4Head(), fault.UnsupportedMedia},
	} {
		_, err := shared.Accept(t.Context(), c.data)
		require.Equal(t, c.want, fault.CodeOf(err), name)
	}
}
