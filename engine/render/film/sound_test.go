package film

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/ffmpeg"
)

func TestSoundIsCopiedOnlyWhereNothingIsToBeGained(t *testing.T) {
	t.Parallel()
	aac := func(kbits int64) *track {
		return &track{bytes: kbits * 1000 / 8 * 10, config: []byte{
			0, 0, 0, 0, tagES, 22, 0, 1, 0, tagDecoder, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tagSpecific, 2, 0x12, 0x10,
		}}
	}
	stereo := &ffmpeg.Sound{Index: 1, Codec: "aac", SampleRate: 44_100, Channels: 2, Seconds: 10}
	require.Equal(t, sound{mode: NoSound}, newSound(nil, nil))
	require.Equal(t, []string{"-an"}, newSound(nil, nil).arguments())
	require.Equal(t, []string{"-map", "0:1", "-c:a", "copy"}, newSound(stereo, aac(160)).arguments())
	require.Equal(t, EncodedSound, newSound(stereo, aac(161)).mode)
	require.Equal(t, EncodedSound, newSound(stereo, nil).mode)
	require.Equal(t, sound{EncodedSound, "0:1", 2, 44_100}, newSound(stereo, nil))
	odd := &ffmpeg.Sound{Codec: "vorbis", SampleRate: 96_000, Channels: 8, Seconds: 10}
	require.Equal(t, sound{EncodedSound, "0:0", 2, 48_000}, newSound(odd, nil))
	mono := &ffmpeg.Sound{Codec: "opus", SampleRate: 16_000, Channels: 1, Seconds: 10}
	require.Equal(t, sound{EncodedSound, "0:0", 1, 16_000}, newSound(mono, nil))
	require.Subset(t, newSound(mono, nil).arguments(), []string{"64000", "16000", "1"})

	require.True(t, mayCopy(stereo))
	require.False(t, mayCopy(nil))
	require.False(t, mayCopy(mono))
	require.False(t, mayCopy(&ffmpeg.Sound{Codec: "aac", SampleRate: 48_000, Channels: 6}))
	require.False(t, mayCopy(&ffmpeg.Sound{Codec: "aac", SampleRate: 96_000, Channels: 2}))
}
