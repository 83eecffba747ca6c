package probe_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// track is a trak box with the boxes behind its header.
func track(id byte, boxes ...[]byte) []byte {
	header := mediatest.FullBox("tkhd", 0, make([]byte, 8), []byte{0, 0, 0, id}, make([]byte, 64))
	return mediatest.Box("trak", append([][]byte{header}, boxes...)...)
}

// handled is a track of the kind of media.
func handled(id byte, kind string, boxes ...[]byte) []byte {
	return track(id, append(boxes, mediatest.Box("mdia", mediatest.FullBox("mdhd", 0, make([]byte, 20)), handlerBox(kind)))...)
}

func handlerBox(kind string) []byte {
	return mediatest.FullBox("hdlr", 0, make([]byte, 4), []byte(kind), make([]byte, 13))
}

func chapters(ids ...byte) []byte {
	var list []byte
	for _, id := range ids {
		list = append(list, 0, 0, 0, id)
	}
	return mediatest.Box("tref", mediatest.Box("cdsc", []byte{0, 0, 0, 9}), mediatest.Box("chap", list))
}

func movie(boxes ...[]byte) []byte {
	return append(mediatest.FileType("isom", "isom"), mediatest.Box("moov", boxes...)...)
}

// counted counts reads.
type counted struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	c.reads++
	c.bytes += len(p)
	return c.ReaderAt.ReadAt(p, at)
}

func tracksOf(file []byte) (video, sound bool, err error) {
	return probe.Tracks(bytes.NewReader(file), int64(len(file)))
}

func TestTracksTellsTheKindsOfTracks(t *testing.T) {
	t.Parallel()
	version1 := mediatest.Box("tkhd", []byte{1, 0, 0, 0}, make([]byte, 16), []byte{0, 0, 0, 2}, make([]byte, 80))
	for name, tt := range map[string]struct {
		file         []byte
		video, sound bool
	}{
		"video":                       {movie(handled(1, "vide")), true, false},
		"sound":                       {movie(handled(1, "soun")), false, true},
		"both":                        {movie(handled(1, "soun"), handled(2, "text"), handled(3, "vide")), true, true},
		"neither":                     {movie(handled(1, "text"), handled(2, "tmcd")), false, false},
		"no tracks":                   {movie(), false, false},
		"chapter pictures":            {movie(handled(1, "soun", chapters(2, 3)), handled(2, "text"), handled(3, "vide")), false, true},
		"chapter pictures, long form": {movie(handled(1, "soun", chapters(2)), mediatest.Box("trak", version1, mediatest.Box("mdia", handlerBox("vide")))), false, true},
		"chapter pictures and video":  {movie(handled(1, "vide", chapters(2)), handled(2, "vide")), true, false},
		"zeros at the end":            {movie(handled(1, "vide"), make([]byte, 4)), true, false},
		"a handler of the data":       {movie(track(1, mediatest.Box("mdia", handlerBox("soun"), mediatest.Box("minf", handlerBox("vide"))))), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			video, sound, err := tracksOf(tt.file)
			require.NoError(t, err)
			require.Equal(t, tt.video, video, "video")
			require.Equal(t, tt.sound, sound, "sound")
		})
	}
}

func TestTracksReadsWhatEncodersWrite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec         clips.Spec
		video, sound bool
	}{
		"MP4":              {clips.Spec{Format: probe.MP4, Frames: 2}, true, false},
		"MP4 with sound":   {clips.Spec{Format: probe.MP4, Frames: 2, Sound: clips.Tone, Faststart: true}, true, true},
		"MP4 in fragments": {clips.Spec{Format: probe.MP4, Frames: 2, Sound: clips.Tone, Fragmented: true}, true, true},
		"MP4 of sound":     {clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Sound: clips.Tone, Seconds: 0.2}, false, true},
		"MOV":              {clips.Spec{Format: probe.MOV, Frames: 2, Sound: clips.Tone}, true, true},
		"M4A":              {clips.Spec{Format: probe.M4A, Seconds: 0.2}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			video, sound, err := tracksOf(clips.Make(t, tt.spec))
			require.NoError(t, err)
			require.Equal(t, tt.video, video, "video")
			require.Equal(t, tt.sound, sound, "sound")
		})
	}
}

// spread is a gigabyte of zeros with the parts at their offsets.
type spread map[int64][]byte

const spreadSize = 1 << 30

func (s spread) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	for start, part := range s {
		if from, to := max(start, at), min(start+int64(len(part)), at+int64(len(p))); from < to {
			copy(p[from-at:], part[from-start:to-start])
		}
	}
	return len(p), nil
}

func TestTracksOfALargeFileCostsFewReads(t *testing.T) {
	t.Parallel()
	be := binary.BigEndian
	index := mediatest.Box("stbl", make([]byte, 2<<20))
	moov := mediatest.Box("moov", handled(1, "vide", index), handled(2, "soun", index), mediatest.Box("udta"))
	start := spreadSize - int64(len(moov))
	file := spread{
		0:     append(mediatest.FileType("isom"), be.AppendUint64([]byte("\x00\x00\x00\x01mdat"), uint64(start)-16)...),
		start: moov,
	}
	c := &counted{ReaderAt: file}
	video, sound, err := probe.Tracks(c, spreadSize)
	require.NoError(t, err)
	require.True(t, video)
	require.True(t, sound)
	require.LessOrEqual(t, c.reads, 5)
	require.LessOrEqual(t, c.bytes, 5*64<<10)
}

func TestTracksRefusesWhatIsNoMovie(t *testing.T) {
	t.Parallel()
	whole := movie(handled(1, "vide"))
	many := bytes.Repeat(mediatest.Box("free"), 3000)
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":                     {nil, probe.ErrMalformed},
		"no moov":                     {mediatest.FileType("isom"), probe.ErrMalformed},
		"cut":                         {whole[:len(whole)-1], probe.ErrMalformed},
		"a box shorter than its head": {append(mediatest.FileType("isom"), 0, 0, 0, 7, 'f', 'r', 'e', 'e'), probe.ErrMalformed},
		"a length of 64 bits":         {append(mediatest.FileType("isom"), "\x00\x00\x00\x01moov\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"...), probe.ErrMalformed},
		"a long length that is cut":   {append(mediatest.FileType("isom"), "\x00\x00\x00\x01moov\x00"...), probe.ErrMalformed},
		"a track past its movie":      {movie([]byte("\x00\x00\x01\x00trak")), probe.ErrMalformed},
		"a track without its header":  {movie(mediatest.Box("trak", mediatest.Box("tkhd", make([]byte, 8)))), probe.ErrMalformed},
		"media without a handler":     {movie(track(1, mediatest.Box("mdia"))), probe.ErrMalformed},
		"a handler without a kind":    {movie(track(1, mediatest.Box("mdia", mediatest.FullBox("hdlr", 0)))), probe.ErrMalformed},
		"a compressed movie":          {movie(mediatest.Box("cmov")), probe.ErrUnsupported},
		"a movie of references":       {movie(mediatest.Box("rmra")), probe.ErrUnsupported},
		"boxes without end":           {append(mediatest.FileType("isom"), many...), probe.ErrExcessive},
		"boxes in moov without end":   {movie(many), probe.ErrExcessive},
		"boxes in a track":            {movie(track(1, many)), probe.ErrExcessive},
		"boxes in media":              {movie(track(1, mediatest.Box("mdia", many))), probe.ErrExcessive},
		"tracks without end":          {movie(bytes.Repeat(handled(1, "soun"), 60)), probe.ErrExcessive},
		"a WAV":                       {mediatest.WAV(0.01), probe.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			video, sound, err := tracksOf(tt.file)
			require.ErrorIs(t, err, tt.want)
			require.False(t, video || sound)
		})
	}
}

func TestTracksStopsAtItsAllowance(t *testing.T) {
	t.Parallel()
	far := spread{0: mediatest.FileType("isom")}
	at := int64(len(far[0]))
	for range 500 {
		far[at] = []byte("\x00\x10\x00\x00free")
		at += 1 << 20
	}
	c := &counted{ReaderAt: far}
	_, _, err := probe.Tracks(c, spreadSize)
	require.ErrorIs(t, err, probe.ErrExcessive)
	require.LessOrEqual(t, c.bytes, 4<<20)
}

var errStorage = errors.New("storage")

type unreadable struct{}

func (unreadable) ReadAt([]byte, int64) (int, error) { return 0, errStorage }

func TestTracksGivesTheReadersError(t *testing.T) {
	t.Parallel()
	_, _, err := probe.Tracks(unreadable{}, 100)
	require.ErrorIs(t, err, errStorage)
	_, _, err = probe.Tracks(bytes.NewReader(movie()), 1<<20)
	require.ErrorIs(t, err, probe.ErrMalformed, "a file that is shorter than it was said to be")
}

func TestBlocksKeepsItsWindowAndItsError(t *testing.T) {
	t.Parallel()
	c := &counted{ReaderAt: bytes.NewReader([]byte("0123456789"))}
	b := probe.NewBlocks(c, 10, 4, 9)
	piece, err := b.Bytes(2, 2)
	require.NoError(t, err)
	require.Equal(t, "23", string(piece))
	piece, err = b.Bytes(3, 3)
	require.NoError(t, err)
	require.Equal(t, "345", string(piece))
	require.Equal(t, 1, c.reads, "both lie in one block")
	_, err = b.Bytes(6, 4)
	require.NoError(t, err)
	_, err = b.Bytes(0, 2)
	require.ErrorIs(t, err, probe.ErrExcessive, "one byte is left of the allowance")
	for _, span := range [][2]int64{{-1, 1}, {0, -1}, {9, 2}, {11, 0}, {1 << 62, 1 << 62}} {
		_, err = b.Bytes(span[0], span[1])
		require.ErrorIs(t, err, probe.ErrMalformed)
	}

	failing := probe.NewBlocks(unreadable{}, 10, 4, 100)
	for range 2 {
		_, err = failing.Bytes(0, 1)
		require.ErrorIs(t, err, errStorage)
	}
}

func FuzzTracks(f *testing.F) {
	f.Add(movie(handled(1, "soun", chapters(2)), handled(2, "vide")))
	f.Add(movie(mediatest.Box("cmov")))
	f.Add([]byte("\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00\x10"))
	f.Add([]byte("\x00\x00\x00\x00moov"))
	f.Fuzz(func(t *testing.T, data []byte) {
		video, sound, err := tracksOf(data)
		if err == nil {
			return
		}
		if video || sound {
			t.Fatal("tracks beside an error")
		}
		if !errors.Is(err, probe.ErrMalformed) && !errors.Is(err, probe.ErrUnsupported) && !errors.Is(err, probe.ErrExcessive) {
			t.Fatalf("error of no kind: %v", err)
		}
	})
}
