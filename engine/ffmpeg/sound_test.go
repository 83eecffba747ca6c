package ffmpeg

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// drain reads all of a sound and closes it.
func drain(r io.ReadCloser, err error) ([]int16, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	samples := make([]int16, len(raw)/2)
	return samples, binary.Read(bytes.NewReader(raw), binary.LittleEndian, samples)
}

// strength is the amplitude of one frequency in Hz, relative to the loudest sine (Goertzel's algorithm).
func strength(samples []int16, rate, frequency float64) float64 {
	k := 2 * math.Cos(2*math.Pi*frequency/rate)
	var s1, s2 float64
	for _, x := range samples {
		s1, s2 = float64(x)/math.MaxInt16+k*s1-s2, s1
	}
	return 2 * math.Sqrt(s1*s1+s2*s2-k*s1*s2) / float64(len(samples))
}

func TestSoundComesAsMonoSamples(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for name, s := range map[string]clips.Spec{
		"mp4, two tracks": {Format: probe.MP4, Sound: clips.Tone, DecoySound: true, Frames: 60},
		"webm":            {Format: probe.WebM, Sound: clips.Tone, Frames: 60, Channels: 2},
		"mp3":             {Format: probe.MP3, Seconds: 2, Cover: true},
		"wav":             {Format: probe.WAV, Seconds: 2, SampleRate: 44100, Channels: 2, SoundCodec: clips.PCM24},
		"m4a":             {Format: probe.M4A, Seconds: 2, SoundCodec: clips.ALAC},
	} {
		samples, err := drain(tool.Sound(t.Context(), probed(t, tool, s), 16_000))
		require.NoError(t, err, name)
		require.InDelta(t, 32_000, len(samples), 1600, name)
		middle := samples[8000:24_000]
		require.Greater(t, strength(middle, 16_000, 440), 0.05, name)
		require.Less(t, strength(middle, 16_000, 880), 0.01, name)
	}
}

func TestSilenceIsSilent(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	samples, err := drain(tool.Sound(t.Context(), probed(t, tool, clips.Spec{Format: probe.MP4, Sound: clips.Silence}), 16_000))
	require.NoError(t, err)
	require.NotEmpty(t, samples)
	for _, x := range samples {
		require.Zero(t, x)
	}
}

func TestSoundOfASilentFilmIsRefused(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4})
	_, err := tool.Sound(t.Context(), clip, 16_000)
	require.ErrorIs(t, err, ErrNoSound)
	clip = probed(t, tool, clips.Spec{Format: probe.WAV})
	_, err = tool.Sound(t.Context(), clip, 0)
	require.ErrorContains(t, err, "rate")
}

func TestSoundEndsWhenItIsClosedOrItsContextEnds(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.WAV, Seconds: 100, SampleRate: 8000})
	r, err := tool.Sound(t.Context(), clip, 48_000)
	require.NoError(t, err)
	_, err = io.ReadFull(r, make([]byte, 4096))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NotNil(t, r.(*stream).program.cmd.ProcessState)

	ctx, cancel := context.WithCancel(t.Context())
	r, err = tool.Sound(ctx, clip, 48_000)
	require.NoError(t, err)
	cancel()
	_, err = io.ReadAll(r)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, r.Close())
}

func TestDamagedSoundIsUndecodable(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.M4A})
	clip.Path = clips.Write(t, "clip.m4a", []byte("gone"))
	_, err := drain(tool.Sound(t.Context(), clip, 16_000))
	require.ErrorIs(t, err, ErrUndecodable)
}
