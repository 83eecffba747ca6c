package inspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/voice"
)

func TestVoiceClipsOfEveryFormatAreHeard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec  clips.Spec
		codec string
	}{
		"MP3":         {clips.Spec{Format: probe.MP3, SampleRate: 44100, Channels: 2}, "mp3"},
		"WAV":         {clips.Spec{Format: probe.WAV, SampleRate: 8000, Channels: 1}, "pcm_s16le"},
		"WAV, 24 bit": {clips.Spec{Format: probe.WAV, SoundCodec: clips.PCM24, SampleRate: 48000, Channels: 1}, "pcm_s24le"},
		"M4A":         {clips.Spec{Format: probe.M4A, SampleRate: 48000, Channels: 2}, "aac"},
		"lossless":    {clips.Spec{Format: probe.M4A, SoundCodec: clips.ALAC, SampleRate: 44100, Channels: 1}, "alac"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Sound, c.spec.Seconds = clips.Speech, 7
			report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Audio, clips.File(t, c.spec)))
			require.NoError(t, err)
			require.Equal(t, engine.Audio, report.Media)
			require.Nil(t, report.Video)
			require.InDelta(t, 7, report.Audio.Seconds, 0.1)
			require.Equal(t, c.spec.SampleRate, report.Audio.SampleRate)
			require.Equal(t, c.spec.Channels, report.Audio.Channels)
			require.Equal(t, c.codec, report.Audio.Codec)
			require.Len(t, report.Audio.Readings, 2)
			heard, ok := report.Detail.Voice.(voice.Report)
			require.True(t, ok)
			require.Greater(t, heard.SpeechSeconds, 4.0)
		})
	}
}

func TestAVoiceClipHasNoVerdictUntilAModelHearsIt(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.WAV, Sound: clips.Speech, Seconds: 5}
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Audio, clips.File(t, spec)))
	require.NoError(t, err)
	require.Equal(t, engine.Unavailable, report.Verdict)
	require.Nil(t, report.Score)
	require.Equal(t, engine.ByVoice, report.DecidedBy)
	require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, report.Lanes.Pixels)
	require.Equal(t, engine.Lane{Verdict: engine.Unavailable, Score: 50}, report.Lanes.Watermark)
	for _, r := range report.Audio.Readings {
		require.Equal(t, engine.Unavailable, r.Verdict)
	}
	require.Equal(t, map[string]string{"pixels": "unavailable", "voice": "unavailable"}, shared.Models())
}

func TestASilentClipIsToldInTheDetail(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.M4A, Sound: clips.Silence, Seconds: 2}
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Audio, clips.File(t, spec)))
	require.NoError(t, err)
	heard, ok := report.Detail.Voice.(voice.Report)
	require.True(t, ok)
	require.True(t, heard.Silent)
	require.Zero(t, heard.SpeechSeconds)
}

func TestTheWordForAVideosSoundNeverReadsAsAnother(t *testing.T) {
	t.Parallel()
	with := func(v engine.Verdict) *hearing {
		return &hearing{Report: voice.Report{Verdict: v, Score: 50, Windows: []voice.Window{{Lane: engine.Lane{Verdict: v, Score: 50}}}}}
	}
	silent := with(engine.Unavailable)
	silent.Silent = true
	for want, h := range map[string][]*hearing{
		"none":        {nil, {}},
		"silent":      {silent},
		"unavailable": {{broken: true}, with(engine.Unavailable)},
		"ai":          {with(engine.AI)},
		"real":        {with(engine.Real)},
		"uncertain":   {with(engine.Uncertain), with(engine.None)},
	} {
		for _, one := range h {
			require.Equal(t, want, one.word())
		}
	}
}

func TestSoundThatCannotBeDecodedTakesNothingFromAVideo(t *testing.T) {
	t.Parallel()
	i := shared.(*inspector)
	path := clips.File(t, clips.Spec{Format: probe.MP4, Sound: clips.Speech})
	clip, err := i.tool.Probe(t.Context(), path, probe.MP4)
	require.NoError(t, err)
	clip.Sound.Index = 7 // a track that is not there
	heard, err := i.listenToVideo(t.Context(), clip, nil, engine.MaxClipSeconds, func(float64) {})
	require.NoError(t, err)
	require.Equal(t, "unavailable", heard.word())
	require.Equal(t, engine.Unavailable, heard.lane().Verdict)
}
