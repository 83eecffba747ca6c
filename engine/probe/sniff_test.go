package probe_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func TestSniffKnowsEveryFormatByContent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		head []byte
		want probe.Format
	}{
		"JPEG":               {mediatest.JPEG(t, 8, 8), probe.JPEG},
		"PNG":                {mediatest.PNG(t, 8, 8), probe.PNG},
		"GIF":                {mediatest.GIF(t, 8, 8), probe.GIF},
		"BMP":                {mediatest.BMP(t, 8, 8), probe.BMP},
		"TIFF little-endian": {mediatest.TIFF(t, 8, 8), probe.TIFF},
		"TIFF big-endian":    {[]byte("MM\x00*\x00\x00\x00\x08"), probe.TIFF},
		"BigTIFF":            {[]byte("II+\x00\x08\x00\x00\x00"), probe.TIFF},
		"WebP":               {[]byte("RIFF\x24\x00\x00\x00WEBPVP8 "), probe.WebP},
		"AVIF":               {mediatest.TinyAVIF(), probe.AVIF},
		"AVIF sequence":      {mediatest.FileType("avis", "avis", "msf1"), probe.AVIF},
		"AVIF under mif1":    {mediatest.FileType("mif1", "mif1", "avif"), probe.AVIF},
		"HEIC":               {mediatest.TinyHEIC(), probe.HEIC},
		"HEIC under mif1":    {mediatest.FileType("mif1", "mif1", "heic"), probe.HEIC},
		"HEIF of no codec":   {mediatest.FileType("mif1", "mif1"), probe.HEIF},
		"MP4":                {mediatest.MP4Head(), probe.MP4},
		"MP4 by compatible":  {mediatest.FileType("XXXX", "mp42"), probe.MP4},
		"MOV":                {mediatest.MOVHead(), probe.MOV},
		"MOV without ftyp":   {[]byte("\x00\x00\x10\x00moov\x00\x00\x00\x6Cmvhd"), probe.MOV},
		"M4A":                {mediatest.M4AHead(), probe.M4A},
		"WebM":               {mediatest.WebMHead(), probe.WebM},
		"WAV":                {mediatest.WAV(0.01), probe.WAV},
		"WAV over 4 GB":      {[]byte("RF64\xFF\xFF\xFF\xFFWAVE"), probe.WAV},
		"MP3 frames":         {mediatest.MP3(3), probe.MP3},
		"MP3 tag":            {[]byte("ID3\x04\x00\x00\x00\x00\x02\x01TIT2"), probe.MP3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, probe.Sniff(tt.head))
		})
	}
}

func TestSniffTakesNoLookAlikes(t *testing.T) {
	t.Parallel()
	matroska := strings.Replace(string(mediatest.WebMHead()), "webm", "mkv_", 1)
	tests := map[string]string{
		"nothing":            "",
		"text":               "hello, world, this is no picture at all",
		"two letters of BMP": "BM is how this sentence starts, and it goes on",
		"Matroska":           matroska,
		"one MP3 sync":       "\xFF\xFB\x90\xC4" + strings.Repeat("x", 1000),
		"AAC frames":         strings.Repeat("\xFF\xF1\x50\x80\x02\x1F\xFC\x00", 100),
		"UTF-16 text":        "\xFF\xFEh\x00e\x00l\x00l\x00o\x00",
		"broken ID3":         "ID3\x09\x00\x00\x00\x00\x00\x00",
		"RIFF of no kind":    "RIFF\x00\x00\x00\x00AVI LIST",
		"JPEG 2000":          "\x00\x00\x00\x0CjP  \r\n\x87\n",
		"unknown brand":      string(mediatest.FileType("crx ", "crx ")),
		"SVG":                "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"PDF":                "%PDF-1.7",
		"JPEG start alone":   "\xFF\xD8",
	}
	for name, head := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, probe.Unknown, probe.Sniff([]byte(head)))
		})
	}
}

func TestFormatTellsMediaAndContentType(t *testing.T) {
	t.Parallel()
	require.Equal(t, engine.Image, probe.HEIC.Media())
	require.Equal(t, engine.Video, probe.MOV.Media())
	require.Equal(t, engine.Audio, probe.M4A.Media())
	require.Equal(t, "video/quicktime", probe.MOV.ContentType())
	require.Equal(t, "WebP", probe.WebP.Name())
	require.Empty(t, probe.Unknown.Media())
	require.Empty(t, probe.Unknown.ContentType())
	require.Equal(t, "unknown format", probe.Unknown.Name())
}

func TestCanonicalTypeFoldsSpellings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		canonical string
		media     engine.Media
	}{
		"image/jpeg":                 {"image/jpeg", engine.Image},
		"IMAGE/PNG":                  {"image/png", engine.Image},
		" image/webp ; q=1":          {"image/webp", engine.Image},
		"image/gif":                  {"image/gif", engine.Image},
		"image/avif":                 {"image/avif", engine.Image},
		"image/heic":                 {"image/heic", engine.Image},
		"image/heif":                 {"image/heif", engine.Image},
		"image/tiff":                 {"image/tiff", engine.Image},
		"image/bmp":                  {"image/bmp", engine.Image},
		"video/mp4;codecs=\"avc1\"":  {"video/mp4", engine.Video},
		"video/quicktime":            {"video/quicktime", engine.Video},
		"video/webm":                 {"video/webm", engine.Video},
		"audio/mpeg":                 {"audio/mpeg", engine.Audio},
		"Audio/MP3; rate=44100":      {"audio/mpeg", engine.Audio},
		"audio/wav":                  {"audio/wav", engine.Audio},
		"audio/x-wav":                {"audio/wav", engine.Audio},
		"audio/wave":                 {"audio/wav", engine.Audio},
		"audio/vnd.wave":             {"audio/wav", engine.Audio},
		"audio/mp4":                  {"audio/mp4", engine.Audio},
		"audio/x-m4a":                {"audio/mp4", engine.Audio},
		"audio/m4a; malformed;;=;\"": {"audio/mp4", engine.Audio},
	}
	for s, want := range tests {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			canonical, media, ok := probe.CanonicalType(s)
			require.True(t, ok)
			require.Equal(t, want.canonical, canonical)
			require.Equal(t, want.media, media)
		})
	}
}

func TestCanonicalTypeRefusesOthers(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "image", "image/", "image/svg+xml", "image/jpg", "application/pdf", "text/html", "image/jpeg,image/png", "*/*"} {
		canonical, media, ok := probe.CanonicalType(s)
		require.False(t, ok, "%q", s)
		require.Empty(t, canonical)
		require.Empty(t, media)
	}
}
