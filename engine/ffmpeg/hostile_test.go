package ffmpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// soon is what a hostile file may take on a busy machine.
const soon = 20 * time.Second

// requireHarmless demands that a file under a format's name is refused, or gives nothing that could be decoded.
func requireHarmless(t *testing.T, tool *Tool, path string, format probe.Format) {
	t.Helper()
	began := time.Now()
	clip, err := tool.Probe(t.Context(), path, format)
	if err != nil {
		require.ErrorIs(t, err, ErrUndecodable)
	} else {
		if clip.Video != nil {
			_, err = tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
			require.ErrorIs(t, err, ErrUndecodable, "%+v", clip.Video)
		}
		if clip.Sound != nil {
			_, err = drain(tool.Sound(t.Context(), clip, 16_000))
			require.ErrorIs(t, err, ErrUndecodable, "%+v", clip.Sound)
		}
	}
	require.Less(t, time.Since(began), soon)
}

// everyFormat has one format for each demuxer.
func everyFormat() []probe.Format {
	return []probe.Format{probe.MP4, probe.WebM, probe.MP3, probe.WAV}
}

// calls listens on loopback and counts who comes.
func calls(t *testing.T) (address string, count *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	count = &atomic.Int32{}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String(), count
}

func TestAPlaylistIsNoVideoAndReachesNobody(t *testing.T) {
	t.Parallel()
	address, count := calls(t)
	playlist := fmt.Sprintf("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\nhttp://%s/a.ts\n#EXT-X-ENDLIST\n", address)
	path := clips.Write(t, "clip.mp4", []byte(playlist))

	require.Equal(t, probe.Unknown, probe.Sniff([]byte(playlist)))
	tool := newTool(t)
	for _, format := range everyFormat() {
		requireHarmless(t, tool, path, format)
	}
	require.Zero(t, count.Load())

	// ffprobe without our options follows it: the test would notice.
	_ = exec.CommandContext(t.Context(), tool.cfg.FFprobe, "-v", "quiet", "-protocol_whitelist", "file,http,tcp", path).Run()
	require.NotZero(t, count.Load())
}

func TestAScriptOpensNoOtherFile(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	secret := clips.File(t, clips.Spec{Format: probe.MP4})
	dir := filepath.Dir(secret)
	script := []byte("ffconcat version 1.0\nfile '" + filepath.Base(secret) + "'\n")
	path := filepath.Join(dir, "script.mp4")
	require.NoError(t, os.WriteFile(path, script, 0o600))
	for _, format := range everyFormat() {
		requireHarmless(t, tool, path, format)
	}
	// As a concat script it does lead to the other file.
	require.NoError(t, exec.CommandContext(t.Context(), tool.cfg.FFprobe, "-v", "quiet", "-f", "concat", path).Run())
}

// alias is a QuickTime alias record (Inside Macintosh: Files, alias records; as data references hold them) to a file beside
// the movie, with the fields that name it.
func alias(name string) []byte {
	b := make([]byte, 150)
	binary.BigEndian.PutUint16(b[4:], 150)
	binary.BigEndian.PutUint16(b[6:], 2)
	b[10] = byte(copy(b[11:], "disk"))
	b[50] = byte(copy(b[51:], name))
	binary.BigEndian.PutUint16(b[130:], 1) // one folder up from the alias …
	binary.BigEndian.PutUint16(b[132:], 1) // … and one down to the target
	// Its path: type 2, absolute, in Macintosh's spelling.
	path := "disk:" + name
	b = binary.BigEndian.AppendUint16(b, 2)
	b = binary.BigEndian.AppendUint16(b, uint16(len(path)))
	b = append(b, path...)
	if len(path)%2 == 1 {
		b = append(b, 0)
	}
	return append(b, 0xFF, 0xFF, 0, 0)
}

func TestAMovieWhoseMediaLiesElsewhereStaysEmpty(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	elsewhere := clips.File(t, clips.Spec{Format: probe.MOV})
	whole, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	linked := changed(t, whole, "moov/trak/mdia/minf/dinf/dref", func([]byte) []byte {
		record := append(make([]byte, 4), alias(filepath.Base(elsewhere))...)
		return append(numbers(0, 1), mediatest.Box("alis", record)...)
	})
	linked = append(append([]byte{}, linked[:bytes.Index(linked, []byte("mdat"))-4]...), linked[bytes.Index(linked, []byte("moov"))-4:]...)
	path := filepath.Join(filepath.Dir(elsewhere), "linked.mov")
	require.NoError(t, os.WriteFile(path, linked, 0o600))
	requireHarmless(t, tool, path, probe.MOV)

	out, err := exec.CommandContext(t.Context(), tool.cfg.FFprobe, "-v", "quiet", "-enable_drefs", "1", "-count_packets",
		"-show_entries", "stream=nb_read_packets", "-of", "default=nk=1:nw=1", path).Output()
	require.NoError(t, err)
	require.Equal(t, "30\n", string(out), "with references allowed the other file is read: the test would notice")
}

// bits writes an H.264 header (ITU-T H.264, 7.3.2.1.1).
type bits struct {
	all []byte
	n   int
}

func (b *bits) put(value, count int) {
	for i := count - 1; i >= 0; i-- {
		if b.n%8 == 0 {
			b.all = append(b.all, 0)
		}
		b.all[b.n/8] |= byte(value>>i&1) << (7 - b.n%8)
		b.n++
	}
}

// golomb writes ue(v).
func (b *bits) golomb(value int) {
	length := 0
	for v := value + 1; v > 1; v >>= 1 {
		length++
	}
	b.put(0, length)
	b.put(value+1, length+1)
}

// giantH264 is a decoder configuration for pictures of the given size in macroblocks of 16 x 16.
func giantH264(blocks int) []byte {
	sps := &bits{}
	sps.put(0x67420033, 32)
	for _, v := range []int{0, 0, 2, 1} {
		sps.golomb(v)
	}
	sps.put(0, 1)
	sps.golomb(blocks - 1)
	sps.golomb(blocks - 1)
	sps.put(0b11001, 5)
	pps := []byte{0x68, 0xCE, 0x38, 0x80}
	config := []byte{1, 0x42, 0, 0x33, 0xFF, 0xE1, 0, byte(len(sps.all))}
	config = append(append(config, sps.all...), 1, 0, byte(len(pps)))
	return append(config, pps...)
}

func TestGiantPicturesAreNotDecoded(t *testing.T) {
	t.Parallel()
	tool := newTool(t, func(c *Config) { c.MemoryBytes = 256 << 20 })
	const side, blocks = 100_000, 6250
	h264 := changed(t, clips.Make(t, clips.Spec{Format: probe.MP4}), "moov/trak/mdia/minf/stbl/stsd", func(b []byte) []byte {
		entry := append([]byte{}, b[16:16+78]...)
		return append(numbers(0, 1), mediatest.Box("avc1", entry, mediatest.Box("avcC", giantH264(blocks)))...)
	})
	h264 = bytes.Replace(h264, []byte{0, 160, 0, 120}, []byte{0xFF, 0xFF, 0xFF, 0xFF}, 1)
	requireHarmless(t, tool, clips.Write(t, "clip.mp4", h264), probe.MP4)

	png := bytes.Clone(clips.Make(t, clips.Spec{Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24", Frames: 4}))
	for at := 0; ; {
		next := bytes.Index(png[at:], []byte("IHDR"))
		if next < 0 {
			require.Positive(t, at)
			break
		}
		at += next + 4
		put(png, at, side, side)
	}
	requireHarmless(t, tool, clips.Write(t, "clip.mov", png), probe.MOV)
}

func TestPicturesOverTheLimitAreNoVideo(t *testing.T) {
	t.Parallel()
	s := clips.Spec{Format: probe.MP4, Frames: 2, Sound: clips.Tone}
	clip := probed(t, newTool(t, func(c *Config) { c.MaxPixels = 160 * 120 }), s)
	require.NotNil(t, clip.Video)
	clip, err := newTool(t, func(c *Config) { c.MaxPixels = 160*120 - 1 }).Probe(t.Context(), clip.Path, clip.Format)
	if err == nil {
		require.Nil(t, clip.Video)
	} else {
		require.ErrorIs(t, err, ErrUndecodable)
	}
}

func TestAGigabyteOfNothingIsRefusedSoon(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	path := filepath.Join(t.TempDir(), "sparse")
	// The readers of WebM, MP3 and WAV go through all of it, at a hundred megabytes a second and more.
	const whole, part = 1 << 30, 1 << 25
	for _, c := range []struct {
		format probe.Format
		start  []byte
		size   int64
	}{
		{probe.MP4, nil, whole},
		{probe.MP4, []byte("PK\x05\x06"), whole},
		{probe.MP4, mediatest.MP4Head(), whole},
		{probe.MOV, mediatest.MOVHead(), whole},
		{probe.M4A, mediatest.M4AHead(), whole},
		{probe.WebM, nil, whole},
		{probe.WebM, mediatest.WebMHead(), part},
		{probe.WAV, nil, whole},
		{probe.WAV, mediatest.WAV(0), part},
		{probe.MP3, mediatest.MP3(1), part},
	} {
		require.NoError(t, os.WriteFile(path, c.start, 0o600))
		require.NoError(t, os.Truncate(path, c.size))
		began := time.Now()
		clip, err := tool.Probe(t.Context(), path, c.format)
		require.Less(t, time.Since(began), soon)
		if err != nil {
			require.ErrorIs(t, err, ErrUndecodable)
			continue
		}
		require.Nil(t, clip.Video)
		// Zeros are silence to WAV, and after one frame of MP3 there is that frame.
		require.Equal(t, c.format.Media() == engine.Audio && c.format != probe.M4A, clip.Sound != nil, "%+v", c)
	}
}

func TestGarbageIsUndecodable(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	garbage := clips.Write(t, "clip", bytes.Repeat([]byte("no clip at all. "), 4096))
	empty := clips.Write(t, "clip", nil)
	for _, format := range everyFormat() {
		requireHarmless(t, tool, garbage, format)
		_, err := tool.Probe(t.Context(), empty, format)
		require.ErrorIs(t, err, ErrUndecodable)
	}
	_, err := tool.Probe(t.Context(), garbage, probe.JPEG)
	require.ErrorIs(t, err, ErrUndecodable)
	_, err = tool.Probe(t.Context(), garbage, probe.Unknown)
	require.ErrorIs(t, err, ErrUndecodable)
}

func TestAFileOfTheWrongFormatMeetsNoOtherDemuxer(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	webm := clips.File(t, clips.Spec{Format: probe.WebM})
	for _, format := range everyFormat() {
		if format != probe.WebM {
			requireHarmless(t, tool, webm, format)
		}
	}
}

func TestAFileWithoutTracksIsAnEmptyClip(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	whole := clips.Make(t, clips.Spec{Format: probe.MP4})
	bare := changed(t, whole, "moov", func(b []byte) []byte { return b[:binary.BigEndian.Uint32(b)] })
	clip, err := probedBytes(t, tool, bare)
	require.NoError(t, err)
	require.Nil(t, clip.Video)
	require.Nil(t, clip.Sound)
	require.Zero(t, clip.Seconds)
}

func TestAStrangeDecoderIsNotOpened(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	whole := clips.Make(t, clips.Spec{Format: probe.MOV})
	for _, codec := range []string{"cvid", "rpza", "SMC ", "IV50"} {
		strange := changed(t, whole, "moov/trak/mdia/minf/stbl/stsd", func(b []byte) []byte {
			copy(b[12:], codec)
			return b
		})
		requireHarmless(t, tool, clips.Write(t, "clip.mov", strange), probe.MOV)
	}
}

func TestTooManyPacketsToCountAreRefused(t *testing.T) {
	t.Parallel()
	short := Clip{Seconds: 3, Video: &Video{Frames: 90}}
	require.False(t, tooLong(&short, 100))
	require.InDelta(t, 100, short.Seconds, 0)
	require.True(t, tooLong(&Clip{Seconds: 3}, 1000))
	require.True(t, tooLong(&Clip{Seconds: 3, Video: &Video{Frames: 300_000}}, 0))
}

func TestLongLinesAndManyPacketsAreBounded(t *testing.T) {
	t.Parallel()
	l := &listing{packets: map[int]*packets{}}
	require.Error(t, l.read(bytes.NewReader(bytes.Repeat([]byte("x"), maxLine+1))))

	l = &listing{packets: map[int]*packets{}, count: maxPackets - 1}
	lines := bytes.Repeat([]byte("packet|stream_index=0|pts_time=0|duration_time=1|flags=K_\n"), 3)
	lines = append(lines, bytes.Repeat([]byte("stream|index=0|codec_type=video\n"), 2*maxStreams)...)
	require.NoError(t, l.read(bytes.NewReader(lines)))
	require.Len(t, l.packets[0].all, 1)
	require.Len(t, l.streams, maxStreams)

	l = &listing{packets: map[int]*packets{}}
	require.NoError(t, l.read(bytes.NewReader([]byte("packet|stream_index=-1\npacket|stream_index=9999999\npacket|\n\nformat|duration=1e300\n"))))
	require.Empty(t, l.packets)
	require.Zero(t, l.claimed)
}

func TestComplaintsAreKeptInPart(t *testing.T) {
	t.Parallel()
	e := &excerpt{}
	for range 1000 {
		n, err := e.Write([]byte("a damaged file draws many complaints\n"))
		require.NoError(t, err)
		require.Equal(t, 37, n)
	}
	require.LessOrEqual(t, len(e.String()), excerptBytes)
	require.True(t, errors.Is(ofFile(&exitError{said: e.String()}), ErrUndecodable))
	require.False(t, errors.Is(ofFile(&exitError{killed: true}), ErrUndecodable))
}
