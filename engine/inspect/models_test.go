package inspect

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/model/modeltest"
	"veracity/engine/serve"
	"veracity/platform/fault"
)

// brightness is the folder of a small pixels model, and offset that of a voice model.
func brightness(t *testing.T) string {
	t.Helper()
	return modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
}

func offset(t *testing.T) string {
	t.Helper()
	return modeltest.Folder(t, modeltest.VoiceSpec(), modeltest.VoiceNetwork().ONNX())
}

func TestALockedEngineLoadsTheModelsThatTheSettingsName(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t, func(c *serve.Config) { c.Models.Pixels, c.Models.Voice = brightness(t), offset(t) })
	state, err := client.State(t.Context())
	require.NoError(t, err)
	require.True(t, state.Ready, state.Reason)
	require.Equal(t, map[string]string{"pixels": "brightness@1", "voice": "offset@1"}, state.Models)
	require.NoError(t, client.Ready(t.Context()))
	report, err := client.CheckImage(t.Context(), source(labelled(t)))
	require.NoError(t, err)
	require.NotEqual(t, engine.Unavailable, report.Lanes.Pixels.Verdict)
}

func TestALockedEngineFollowsTheLinksOfAModelsFolder(t *testing.T) {
	t.Parallel()
	real, linked := brightness(t), t.TempDir()
	for _, name := range []string{"model.json", "model.onnx"} {
		require.NoError(t, os.Symlink(filepath.Join(real, name), filepath.Join(linked, name)))
	}
	client := lockedEngine(t, func(c *serve.Config) { c.Models.Pixels, c.Models.Voice = linked, serve.NoModel })
	state, err := client.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"pixels": "brightness@1", "voice": "unavailable"}, state.Models)
}

func TestWithoutANamedModelChecksAloneAreRefused(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t, func(c *serve.Config) { c.Models.Pixels = "/no/such/model" })
	require.Equal(t, fault.ModelUnavailable, fault.CodeOf(client.Ready(t.Context())))
	state, err := client.State(t.Context())
	require.NoError(t, err)
	require.False(t, state.Ready)
	require.Equal(t, fault.ModelUnavailable, state.Code)
	require.Contains(t, state.Reason, "VERACITY_PIXELS_MODEL: load the pixels model in /no/such/model")

	unread := source(labelled(t))
	_, err = client.CheckImage(t.Context(), unread)
	f := fault.From(err)
	require.Equal(t, fault.ModelUnavailable, f.Code)
	require.Zero(t, f.RetryAfter)
	require.NotContains(t, f.Message, "/no/such/model")
	left, err := io.ReadAll(unread.Body)
	require.NoError(t, err)
	require.Len(t, left, int(unread.Size), "a refused check leaves its source unread")

	_, err = client.CheckClip(t.Context(), engine.ClipRequest{Source: source([]byte("clip")), Media: engine.Audio, MaxSeconds: 10})
	require.Equal(t, fault.ModelUnavailable, fault.CodeOf(err))
	_, err = client.AcceptImage(t.Context(), source(labelled(t)))
	require.NoError(t, err, "what is to be optimized is still taken")
}

func TestALibraryThatTheSettingsNameIsNoLesserFault(t *testing.T) {
	t.Parallel()
	library := filepath.Join(t.TempDir(), "libonnxruntime.so")
	require.NoError(t, os.WriteFile(library, []byte("no library"), 0o600))
	named := openModels(serve.Setup{Log: slog.New(slog.DiscardHandler), Models: serve.Models{Library: library, LibraryNamed: true}})
	require.ErrorContains(t, named.fault, library)
	found := openModels(serve.Setup{Log: slog.New(slog.DiscardHandler), Models: serve.Models{Library: library}})
	require.NoError(t, found.fault)
	require.Nil(t, found.pixels)
	require.Nil(t, found.voice)
	off := openModels(serve.Setup{Log: slog.New(slog.DiscardHandler), Models: serve.Models{
		Library: library, LibraryNamed: true, Pixels: serve.NoModel, Voice: serve.NoModel,
	}})
	require.NoError(t, off.fault, "without models there is nothing to run")
}
