package film

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

func TestLikenessIsReadBySample(t *testing.T) {
	t.Parallel()
	const text = "n:1 Y:0.900000 U:1 V:1 All:0.95 (13.0)\nn:2 Y:0.800000 U:1 V:1 All:0.9 (10.0)\n" +
		"n:3 Y:1.000000 U:1.000000 V:1.000000 All:1.000000 (inf)\n"
	l, err := parseLikeness(strings.NewReader(text), []int{2, 1})
	require.NoError(t, err)
	require.InDelta(t, 0.9, l.mean, 1e-9)
	require.InDelta(t, 0.85, l.worst, 1e-9)
	for _, lengths := range [][]int{nil, {2}, {2, 2}} {
		_, err = parseLikeness(strings.NewReader(text), lengths)
		require.ErrorContains(t, err, "were compared", "a picture without a partner is noticed")
	}
	for _, line := range []string{"n:1 Y:", "n:1 Y:x U:1", "n:1", "n:1 Y:nan ", "n:1 Y:1.5 "} {
		_, err = parseLikeness(strings.NewReader(line), []int{1})
		require.ErrorContains(t, err, "cannot be read")
	}
}

func TestDecibels(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 20, decibels(0.99), 1e-9)
	require.InDelta(t, 10, decibels(0.9), 1e-9)
	require.Equal(t, 60.0, decibels(1))
	require.Less(t, decibels(-1), 0.0)
}

func TestSizesTellKeyFramesFromOthers(t *testing.T) {
	t.Parallel()
	const text = "#tb 0: 1/30\n0, 0, 0, 1, 1000, 0x1\n0, 1, 1, 1, 100, 0x1, F=0x0\n0, 2, 2, 1, 60, 0x1, F=0x10\n" +
		"0, 3, 3, 1, 1400, 0x1, F=0x1, S=1, 8, 0x2\n"
	s, err := parseSizes(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, sizes{keys: 2, others: 2, keyBytes: 2400, otherBytes: 160}, s)
	require.EqualValues(t, 2560, s.bytes())
	require.EqualValues(t, 2*1200+98*80, s.expect(100, 50))
	require.EqualValues(t, 1200, s.expect(1, 50))
	require.EqualValues(t, 3*1200, s.expect(3, 1))
	require.Zero(t, sizes{}.expect(100, 50))
	for _, line := range []string{"0, 0, 0, 1", "0, 0, 0, 1, x, 0x1", "0, 0, 0, 1, -1, 0x1", "0, 0, 0, 1, 1, 0x1, F=0xzz"} {
		_, err = parseSizes(strings.NewReader(line))
		require.Error(t, err)
	}
}

func TestTracksSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	path := clips.File(t, clips.Spec{Format: probe.MP4, Sound: clips.Tone, Frames: 12})
	picture, sound := look(path, "vide"), look(path, "soun")
	require.Equal(t, "avc1", picture.entry)
	require.Equal(t, 12, picture.samples)
	require.True(t, picture.upright)
	s, ok := readSequence(picture.config)
	require.True(t, ok)
	require.Equal(t, sequence{profile: profileHigh, whole: true}, s)
	require.True(t, plainAAC(sound.config))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, picture.bytes+sound.bytes, info.Size())
	require.Greater(t, picture.bytes+sound.bytes, info.Size()/2)
	turned := look(clips.File(t, clips.Spec{Format: probe.MP4, Rotation: 90, Frames: 12}), "vide")
	require.False(t, turned.upright)
}

// FuzzTracks finds boxes, parameter sets and descriptors that bring a reader down.
func FuzzTracks(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x10moov\x00\x00\x00\x08trak"))
	f.Add([]byte("\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\x00\x00\x00\x00moov"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "clip.mp4")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		_, _ = readTracks(path)
		var tr track
		_ = tr.read(b)
		_, _ = readSequence(b)
		plainAAC(b)
	})
}

func TestEveryCutAndFlipOfAnIndexIsSurvived(t *testing.T) {
	t.Parallel()
	file := clips.Make(t, clips.Spec{Format: probe.MP4, Sound: clips.Tone, Frames: 3, Faststart: true})
	index, err := findIndex(bytes.NewReader(file))
	require.NoError(t, err)
	for i := range index {
		damaged := bytes.Clone(index)
		damaged[i] ^= 0xff
		for _, b := range [][]byte{index[:i], damaged} {
			_ = eachBox(b, func(_ string, body []byte) error {
				var tr track
				_ = tr.read(body)
				_, _ = readSequence(tr.config)
				plainAAC(tr.config)
				return nil
			})
		}
	}
}

func TestAnIndexIsBounded(t *testing.T) {
	t.Parallel()
	head := binary.BigEndian.AppendUint32(nil, maxIndex+9)
	_, err := findIndex(bytes.NewReader(append(head, "moov"...)))
	require.ErrorIs(t, err, errBroken)
}

func TestOnlyPlainAACIsTakenForIt(t *testing.T) {
	t.Parallel()
	esds := func(specific ...byte) []byte {
		decoder := append([]byte{0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tagSpecific, byte(len(specific))}, specific...)
		es := append([]byte{0, 1, 0, tagDecoder, byte(len(decoder))}, decoder...)
		return append([]byte{0, 0, 0, 0, tagES, 0x80, 0x80, 0x80, byte(len(es))}, es...)
	}
	require.True(t, plainAAC(esds(0x12, 0x10)), "AAC-LC, 44,100 Hz, stereo")
	require.True(t, plainAAC(esds(0x12, 0x10, 0x56, 0xe5, 0x00)), "the same, which says that it has no SBR")
	require.False(t, plainAAC(esds(0x12, 0x10, 0x56, 0xe5, 0x80)), "with SBR on top")
	require.False(t, plainAAC(esds(0x2b, 0x09, 0x88, 0x00)), "HE-AAC")
	require.False(t, plainAAC(esds(0x12, 0x30)), "5.1")
	require.False(t, plainAAC(esds(0x12)))
	require.False(t, plainAAC(nil))
}
