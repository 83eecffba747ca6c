package sign_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/sign"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/render/atom"
)

func FuzzIntoPNG(f *testing.F) {
	f.Add(mediatest.PNG(f, 2, 2))
	f.Add(mediatest.PNG(f, 2, 2, mediatest.PNGText("a", "b")))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, u, err := sign.IntoPNG(data, order(nil))
		if err != nil {
			require.True(t, errors.Is(err, sign.ErrNoPNG) || errors.Is(err, sign.ErrSigned), "%v", err)
			return
		}
		require.Contains(t, string(out), string(u.Claim))
		require.Equal(t, make([]byte, u.Room), out[u.At:u.At+int64(u.Room)])
		_, _, err = sign.IntoPNG(out, order(nil))
		require.ErrorIs(t, err, sign.ErrSigned)
	})
}

func FuzzIntoMP4(f *testing.F) {
	f.Add(clips.Make(f, clips.Spec{Format: probe.MP4, Frames: 1, Width: 16, Height: 16}))
	f.Add(join(mediatest.FileType("isom", "isom"), mediatest.Box("moov"), mediatest.Box("mdat", []byte("media"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "clip.mp4")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		u, err := sign.IntoMP4(path, order(nil))
		if err != nil {
			require.True(t, errors.Is(err, atom.ErrNoMP4) || errors.Is(err, atom.ErrFar) || errors.Is(err, sign.ErrSigned), "%v", err)
			return
		}
		out, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, make([]byte, u.Room), out[u.At:u.At+int64(u.Room)])
		_, err = sign.IntoMP4(path, order(nil))
		require.ErrorIs(t, err, sign.ErrSigned)
	})
}
