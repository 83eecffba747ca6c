package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/raster"
	"veracity/engine/serve"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
	"veracity/platform/fault"
)

// shared is the process's one inspector: libvips starts once.
var shared serve.Inspector

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == roleEngine {
		if err := beEngine(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var err error
	if shared, err = newShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func newShared() (serve.Inspector, error) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, err
	}
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		return nil, err
	}
	return New(context.Background(), serve.Setup{FFmpeg: ffmpeg, FFprobe: ffprobe, Log: slog.New(slog.DiscardHandler)})
}

const webUI = "a castle at dawn\nNegative prompt: blurry\n" +
	"Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1234, Size: 64x48, Model hash: 0123456789"

func labelled(t *testing.T) []byte {
	t.Helper()
	return mediatest.PNG(t, 64, 48, mediatest.PNGText("parameters", webUI))
}

func TestALabelledPictureIsAIByItsProvenance(t *testing.T) {
	t.Parallel()
	data := labelled(t)
	report, err := shared.Inspect(t.Context(), data)
	require.NoError(t, err)
	require.Equal(t, engine.Image, report.Media)
	require.Equal(t, engine.AI, report.Verdict)
	require.Equal(t, engine.ByProvenance, report.DecidedBy)
	require.NotNil(t, report.Score)
	require.Equal(t, engine.AI, report.Lanes.Provenance.Verdict)
	require.Equal(t, engine.File{Format: "PNG", Bytes: int64(len(data)), Width: 64, Height: 48}, report.Detail.File)
	require.Equal(t, Version, report.Detail.Engine)
}

func TestAPlainPictureHasNoVerdictUntilALaneReadsPixels(t *testing.T) {
	t.Parallel()
	report, err := shared.Inspect(t.Context(), mediatest.JPEG(t, 64, 48))
	require.NoError(t, err)
	require.Equal(t, engine.Unavailable, report.Verdict)
	require.Nil(t, report.Score)
	require.Equal(t, engine.None, report.Lanes.Provenance.Verdict)
	require.Equal(t, engine.Lane{Verdict: engine.Unavailable, Score: 50}, report.Lanes.Pixels)
	require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, report.Lanes.Watermark)
}

func TestAMarkInThePixelsDecides(t *testing.T) {
	t.Parallel()
	mark := marktest.Generators()[3]
	for name, data := range map[string][]byte{
		"a payload":         mediatest.PNG(t, 512, 384, mediatest.WithPicture(mark.Mark(mediatest.Photo(512, 384)))),
		"hidden parameters": mediatest.PNG(t, 64, 48, mediatest.WithPicture(marktest.Stealth(mediatest.Photo(64, 48), "stealth_pngcomp", webUI))),
		"a strip":           mediatest.JPEG(t, 512, 512, mediatest.WithPicture(marktest.Strip(mediatest.Photo(512, 512)))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := shared.Inspect(t.Context(), data)
			require.NoError(t, err)
			require.Equal(t, engine.AI, report.Verdict)
			require.Equal(t, engine.ByWatermark, report.DecidedBy)
			require.Equal(t, report.Lanes.Watermark.Score, *report.Score)
			require.GreaterOrEqual(t, *report.Score, 96)
			require.Len(t, report.Detail.Watermark.(watermark.Report).Marks, 1)
		})
	}
}

func TestEveryLaneIsTimed(t *testing.T) {
	t.Parallel()
	report, err := shared.Inspect(t.Context(), labelled(t))
	require.NoError(t, err)
	for _, name := range []string{"decode", "provenance", "watermark", "pixels", "total"} {
		require.Contains(t, report.Detail.TimingsMS, name)
	}
}

func TestFilesThatAreNoStillImageAreRefused(t *testing.T) {
	t.Parallel()
	whole := mediatest.JPEG(t, 64, 48)
	cases := map[string]struct {
		data []byte
		want fault.Code
	}{
		"nothing":   {nil, fault.InvalidImage},
		"text":      {[]byte("no image at all"), fault.UnsupportedMedia},
		"a video":   {mediatest.MP4Head(), fault.UnsupportedMedia},
		"a clip":    {mediatest.WAV(0.1), fault.UnsupportedMedia},
		"truncated": {whole[:len(whole)/2], fault.UnsupportedMedia},
		"too large": {mediatest.BMPFile(30000, 20000, 24, 0, nil, make([]byte, 64)), fault.TooManyPixels},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := shared.Inspect(t.Context(), c.data)
			require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
		})
	}
}

func TestTooManyPixelsTellsSizeAndLimit(t *testing.T) {
	t.Parallel()
	_, err := shared.Inspect(t.Context(), mediatest.BMPFile(30000, 20000, 24, 0, nil, make([]byte, 64)))
	detail, marshalErr := json.Marshal(fault.From(err).Detail)
	require.NoError(t, marshalErr)
	require.JSONEq(t, `{"width":30000,"height":20000,"limit":25000000}`, string(detail))
}

func TestACheckThatIsOverIsNotBegun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := shared.Inspect(ctx, labelled(t))
	require.ErrorIs(t, err, context.Canceled)
}

// scripted is a lane that does what a test says and leaves its mark in the pixels lane.
func scripted(name string, read func() error) lane {
	return lane{
		name,
		func(context.Context, file) (reading, error) {
			return reading{lane: engine.Lane{Verdict: engine.AI, Score: 99}}, read()
		},
		func(r *engine.Report, got reading) { r.Lanes.Pixels = got.lane },
	}
}

func readScripted(t *testing.T, lanes ...lane) (engine.Report, error) {
	t.Helper()
	report := engine.Report{Detail: engine.Detail{TimingsMS: map[string]float64{}}}
	err := readAll(t.Context(), lanes, &report, file{image: &raster.Image{}})
	return report, err
}

func TestLanesReadSideBySide(t *testing.T) {
	t.Parallel()
	here, there := make(chan struct{}), make(chan struct{})
	report, err := readScripted(t,
		scripted("one", func() error { close(here); <-there; return nil }),
		scripted("two", func() error { close(there); <-here; return nil }))
	require.NoError(t, err)
	require.Len(t, report.Detail.TimingsMS, 2)
	require.Equal(t, engine.Lane{Verdict: engine.AI, Score: 99}, report.Lanes.Pixels)
}

func TestALaneThatFailsFailsTheCheckByName(t *testing.T) {
	t.Parallel()
	broken := errors.New("weights are gone")
	_, err := readScripted(t, scripted("well", func() error { return nil }), scripted("pixels", func() error { return broken }))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "pixels lane")
}

func TestALaneThatPanicsIsAnEngineError(t *testing.T) {
	t.Parallel()
	_, err := readScripted(t, scripted("pixels", func() error { panic("index out of range") }))
	require.Equal(t, fault.EngineError, fault.CodeOf(err))
	require.NotContains(t, fault.From(err).Message, "index")
}

// formats are one small picture in every format that the product takes.
func formats(t *testing.T) map[string][]byte {
	t.Helper()
	picture := mediatest.Quadrants(64, 48)
	return map[string][]byte{
		"JPEG": mediatest.JPEG(t, 64, 48), "PNG": mediatest.PNG(t, 64, 48), "GIF": mediatest.GIF(t, 64, 48),
		"TIFF": mediatest.TIFF(t, 64, 48), "BMP": mediatest.BMP(t, 64, 48), "WebP": coded.WebP(t, picture, 80),
		"AVIF": coded.AVIF(t, picture, 60), "HEIC": coded.HEIC(t, picture, 60, 8),
	}
}
