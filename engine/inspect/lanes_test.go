package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
	"veracity/engine/probe"
	"veracity/engine/voice"
	"veracity/platform/fault"
)

// hears is a voice model that hears a second and says one thing of it.
func hears(raw float64) *pixelstest.Network {
	return pixelstest.Windows(voice.Rate, pixelstest.Always(raw))
}

func TestThePixelsLaneDecidesOnAPicture(t *testing.T) {
	t.Parallel()
	picture := mediatest.JPEG(t, 320, 240, mediatest.WithPicture(mediatest.Photo(320, 240)))
	for raw, want := range map[float64]engine.Verdict{6: engine.AI, 0: engine.Uncertain, -6: engine.Real} {
		report, err := withModels(sees(func(int) float64 { return raw }), nil).Inspect(t.Context(), picture)
		require.NoError(t, err)
		require.Equal(t, want, report.Verdict)
		require.Equal(t, want, report.Lanes.Pixels.Verdict)
		if want != engine.Uncertain {
			require.Equal(t, engine.ByPixels, report.DecidedBy)
		}
	}
}

func TestTheDetailNamesModelVersionAndRawScores(t *testing.T) {
	t.Parallel()
	picture := mediatest.PNG(t, 320, 240, mediatest.WithPicture(mediatest.Photo(320, 240)))
	report, err := withModels(sees(func(n int) float64 { return float64(n) }), nil).Inspect(t.Context(), picture)
	require.NoError(t, err)
	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	var said struct {
		Detail struct {
			Pixels struct {
				Model struct {
					Model, Version string
					Raw            float64
				}
				Patches []struct {
					X, Y, Width, Height int
					Raw                 float64
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(encoded, &said))
	require.Equal(t, pixelstest.Name, said.Detail.Pixels.Model.Model)
	require.Equal(t, pixelstest.Version, said.Detail.Pixels.Model.Version)
	require.InDelta(t, 1.5, said.Detail.Pixels.Model.Raw, 1e-9)
	require.Len(t, said.Detail.Pixels.Patches, 2)
	require.InDelta(t, 2, said.Detail.Pixels.Patches[1].Raw, 0)
	require.Equal(t, 64, said.Detail.Pixels.Patches[1].Width)
}

func TestAScreenIsNoPhotographAndStaysOpen(t *testing.T) {
	t.Parallel()
	m := sees(func(int) float64 { return 9 })
	flat := mediatest.PNG(t, 320, 240, mediatest.WithPicture(mediatest.Quadrants(320, 240)))
	report, err := withModels(m, nil).Inspect(t.Context(), flat)
	require.NoError(t, err)
	require.Zero(t, m.Runs.Load())
	require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, report.Lanes.Pixels)
	require.Equal(t, engine.Uncertain, report.Verdict)
	require.Equal(t, pixels.Drawn, report.Detail.Pixels.(pixels.Report).Reason)
}

func TestTheVoiceModelDecidesOnAClip(t *testing.T) {
	t.Parallel()
	speech := clips.File(t, clips.Spec{Format: probe.WAV, Sound: clips.Speech, Seconds: 7})
	for raw, want := range map[float64]engine.Verdict{6: engine.AI, 0: engine.Uncertain, -6: engine.Real} {
		report, err := withModels(nil, hears(raw)).InspectClip(t.Context(), jobOn(t, engine.Audio, speech))
		require.NoError(t, err)
		require.Equal(t, want, report.Verdict)
		require.Equal(t, engine.ByVoice, report.DecidedBy)
		require.Equal(t, want, report.Audio.Readings[0].Verdict)
		heard := report.Detail.Voice.(voice.Report)
		require.Equal(t, pixelstest.Name, heard.Model.Model)
		require.InDelta(t, raw, *heard.Windows[0].Raw, 0)
	}
}

func TestAVoiceModelNamesTheSoundOfAVideo(t *testing.T) {
	t.Parallel()
	path := clips.File(t, clips.Spec{Format: probe.MP4, Sound: clips.Speech, Frames: 90})
	report, err := withModels(sees(func(int) float64 { return -6 }), hears(6)).InspectClip(t.Context(), jobOn(t, engine.Video, path))
	require.NoError(t, err)
	require.Equal(t, "ai", report.Video.Audio)
	require.Equal(t, engine.Real, report.Lanes.Pixels.Verdict)
	require.Equal(t, engine.Uncertain, report.Verdict, "a made-up voice contradicts pictures that look captured")
	require.Equal(t, engine.ByConflict, report.DecidedBy)
}

func TestAModelThatCannotBeLoadedRefusesChecksBeforeAnyWork(t *testing.T) {
	t.Parallel()
	i := withModels(nil, nil)
	i.models.fault = errors.New("model.json: crop.policy is missing")
	_, err := i.Inspect(t.Context(), []byte("not even an image"))
	require.Equal(t, fault.ModelUnavailable, fault.CodeOf(err))
	require.ErrorContains(t, err, "crop.policy")
	for _, media := range []engine.Media{engine.Video, engine.Audio} {
		_, err := i.InspectClip(t.Context(), jobOnBytes(t, media, []byte("no clip")))
		require.Equal(t, fault.ModelUnavailable, fault.CodeOf(err))
	}
}

func TestAModelsErrorFailsTheCheck(t *testing.T) {
	t.Parallel()
	m := sees(func(int) float64 { return 0 })
	m.Err = errors.New("the network gave NaN")
	_, err := withModels(m, nil).Inspect(t.Context(), mediatest.JPEG(t, 320, 240, mediatest.WithPicture(mediatest.Photo(320, 240))))
	require.ErrorIs(t, err, m.Err)
}

// watched tells when it computes and goes on when it is let.
type watched struct {
	pixels.Network
	began, goOn chan struct{}
	busy        *atomic.Int32
}

func (w watched) Run(ctx context.Context, n int, input []float32) ([]model.Row, error) {
	defer w.busy.Add(-1)
	if w.busy.Add(1) > 1 {
		return nil, errors.New("two networks compute at once")
	}
	w.began <- struct{}{}
	<-w.goOn
	return w.Network.Run(ctx, n, input)
}

func TestNetworksOfOneCheckTakeTurns(t *testing.T) {
	t.Parallel()
	turns := newTurns()
	require.Nil(t, turns.of(nil))
	w := watched{pixelstest.Patches(64, 1, pixelstest.Always(0)), make(chan struct{}), make(chan struct{}), &atomic.Int32{}}
	ended := make(chan error, 2)
	for range 2 {
		one := turns.of(w)
		go func() {
			_, err := one.Run(t.Context(), 1, make([]float32, 3))
			ended <- err
		}()
	}
	<-w.began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := turns.of(w).Run(ctx, 1, nil)
	require.ErrorIs(t, err, context.Canceled, "who waits leaves with the caller")
	w.goOn <- struct{}{}
	<-w.began
	w.goOn <- struct{}{}
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
}

func TestALoadedModelIsTheLanes(t *testing.T) {
	t.Parallel()
	require.Nil(t, network(nil))
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	report, err := withModels(network(m), nil).Inspect(t.Context(), mediatest.PNG(t, 320, 240, mediatest.WithPicture(mediatest.Photo(320, 240))))
	require.NoError(t, err)
	require.Equal(t, "brightness", report.Detail.Pixels.(pixels.Report).Model.Model)
}
