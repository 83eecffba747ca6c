package media_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
)

// slowly hands out a file in small pieces, as a network does.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), 7)]) }

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestImageFromAFormIsCheckedWhole(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	file := mediatest.PNG(t, 64, 64)
	var got []byte
	r.Engine.Look = func(ctx context.Context, src engine.Source) (engine.Report, error) {
		var err error
		got, err = io.ReadAll(src.Body)
		require.NoError(t, err)
		require.Equal(t, int64(len(got)), src.Size)
		return acttest.GeneratedImage(ctx, engine.Source{Body: bytes.NewReader(got)})
	}
	report, err := r.CheckImage(t.Context(), r.Caller, media.FromFile(engine.Image, slowly{bytes.NewReader(file)}), nil)
	require.NoError(t, err)
	require.Equal(t, engine.AI, report.Verdict)
	require.Equal(t, file, got)
	r.Sound(1)
}

func TestFileFromAFormEndsAtItsLimitAndCostsNothing(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	_, err := r.CheckImage(t.Context(), r.Caller, media.FromFile(engine.Image, endless{}), nil)
	require.Equal(t, fault.ImageTooLarge, fault.CodeOf(err))

	// Exactly the limit is taken.
	r.Engine.Look = func(ctx context.Context, src engine.Source) (engine.Report, error) {
		require.Equal(t, media.MaxImageBytes, src.Size)
		return acttest.GeneratedImage(ctx, src)
	}
	_, err = r.CheckImage(t.Context(), r.Caller, media.FromFile(engine.Image, io.LimitReader(endless{}, media.MaxImageBytes)), nil)
	require.NoError(t, err)
	r.Sound(1)
}

func TestFormThatBreaksOffCostsNothingAndKeepsItsOwnError(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	broken := errors.New("the browser has gone")
	cut := io.MultiReader(bytes.NewReader(mediatest.MP4Head()), readError{broken})
	for _, kind := range []engine.Media{engine.Image, engine.Video} {
		src := media.FromFile(kind, cut)
		var err error
		if kind == engine.Image {
			_, err = r.CheckImage(t.Context(), r.Caller, src, nil)
		} else {
			_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
		}
		require.ErrorIs(t, err, broken, kind)
	}
	require.Empty(t, r.Blobs())
	r.Sound(0)
}

type readError struct{ error }

func (e readError) Read([]byte) (int, error) { return 0, e.error }

func TestFormIsNotReadWhenTheCreditsDoNotSuffice(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	_, err := r.DB.Exec(t.Context(), `UPDATE credit_period SET spent = granted`)
	require.NoError(t, err)
	unread := readError{errors.New("it was read")}
	_, err = r.CheckImage(t.Context(), r.Caller, media.FromFile(engine.Image, unread), nil)
	require.Equal(t, fault.QuotaExceeded, fault.CodeOf(err))
	_, err = r.StartCheck(t.Context(), r.Caller, media.FromFile(engine.Video, unread), nil)
	require.Equal(t, fault.QuotaExceeded, fault.CodeOf(err))
}

func TestClipFromAFormIsStoredAndChecked(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	file := append(mediatest.MP4Head(), make([]byte, 1<<20)...)
	var got int64
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		got = req.Size
		return acttest.OfVideo(12)(ctx, req)
	}
	id, err := r.StartCheck(t.Context(), r.Caller, media.FromFile(engine.Video, slowly{bytes.NewReader(file)}), nil)
	require.NoError(t, err)
	r.Drive(id)
	require.Equal(t, int64(len(file)), got)
	r.Sound(3)
	require.Empty(t, r.Blobs())

	_, err = r.StartCheck(t.Context(), r.Caller, media.FromFile(engine.Video, strings.NewReader("hello")), nil)
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err))
	_, err = r.StartCheck(t.Context(), r.Caller, media.FromFile(engine.Video, bytes.NewReader(mediatest.PNG(t, 8, 8))), nil)
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err))
	require.NotContains(t, err.Error(), "image_url", "a form has no such field")
	r.Sound(3)
}

func TestGuessGoesByContentThenTypeThenName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head       []byte
		kind, name string
		want       engine.Media
	}{
		{mediatest.PNG(t, 8, 8), "video/mp4", "a.mp3", engine.Image},
		{mediatest.MP4Head(), "", "a.png", engine.Video},
		{mediatest.MP4Head(), "audio/mp4", "a.mp4", engine.Audio},
		{mediatest.MP4Head(), "", "Voice.M4A", engine.Audio},
		{nil, "audio/mpeg; x=y", "a.png", engine.Audio},
		{nil, "application/octet-stream", "dir/A.JPEG", engine.Image},
		{[]byte("hello"), "", "clip.webm", engine.Video},
	} {
		got, ok := media.Guess(c.head, c.kind, c.name)
		require.True(t, ok, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	_, ok := media.Guess([]byte("hello"), "text/plain", "a.txt")
	require.False(t, ok)
	for word, ok := range map[string]bool{"image": true, "video": true, "audio": true, "": false, "Image": false} {
		_, known := media.Kind(word)
		require.Equal(t, ok, known, word)
	}
}

func TestQuoteIsWhatACallHolds(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	for _, c := range []struct {
		kind    string
		media   engine.Media
		seconds float64
		want    int64
	}{
		{media.KindCheck, engine.Image, 0, 1},
		{media.KindCheck, engine.Video, 0, 36},
		{media.KindCheck, engine.Video, 10.1, 3},
		{media.KindCheck, engine.Audio, 0, 18},
		{media.KindOptimize, engine.Image, 0, 2},
		{media.KindOptimize, engine.Video, 2.5, 3},
		{media.KindOptimize, engine.Audio, 1, 0},
	} {
		require.Equal(t, c.want, r.Quote(c.kind, c.media, c.seconds), c)
	}
	r.Check(12)
	require.Equal(t, r.Quote(media.KindCheck, engine.Video, 12), r.Balance().Held)
}
