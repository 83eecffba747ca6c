package probe_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// tiffFile puts one directory behind 64 bytes of pixel data. Tags given replace the usual ones.
func tiffFile(changes ...mediatest.TIFFTag) []byte {
	file := append([]byte("II*\x00\x00\x00\x00\x00"), make([]byte, 64)...)
	tags := []mediatest.TIFFTag{
		{Tag: 256, Values: []uint32{4}},
		{Tag: 257, Values: []uint32{4}},
		{Tag: 258, Values: []uint32{8}},
		{Tag: 259, Values: []uint32{1}},
		{Tag: 262, Values: []uint32{2}},
		{Tag: 273, Values: []uint32{8}},
		{Tag: 277, Values: []uint32{3}},
		{Tag: 278, Values: []uint32{4}},
		{Tag: 279, Values: []uint32{48}},
	}
	for _, c := range changes {
		replaced := false
		for i := range tags {
			if tags[i].Tag == c.Tag {
				tags[i], replaced = c, true
			}
		}
		if !replaced {
			tags = append(tags, c)
		}
	}
	file, _ = mediatest.AppendTIFFDirectory(file, 4, tags...)
	return file
}

func tag(number uint16, values ...uint32) mediatest.TIFFTag {
	return mediatest.TIFFTag{Tag: number, Values: values}
}

func TestTIFFVariants(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data []byte
		want error
	}{
		"plain":                  {tiffFile(), nil},
		"strips":                 {tiffFile(tag(278, 2), tag(273, 8, 32), tag(279, 24, 24)), nil},
		"LZW":                    {tiffFile(tag(259, 5)), nil},
		"old-style JPEG":         {tiffFile(tag(259, 6)), probe.ErrUnsupported},
		"JPEG 2000":              {tiffFile(tag(259, 34712)), probe.ErrUnsupported},
		"three-bit samples":      {tiffFile(tag(258, 3)), probe.ErrUnsupported},
		"a hundred samples":      {tiffFile(tag(277, 100)), probe.ErrUnsupported},
		"camera raw by version":  {tiffFile(tag(50706, 1)), probe.ErrUnsupported},
		"camera raw by preview":  {tiffFile(tag(254, 1)), probe.ErrUnsupported},
		"no width":               {tiffFile(tag(256, 0)), probe.ErrMalformed},
		"strips that overlap":    {tiffFile(tag(278, 1), tag(273, 8, 8, 8, 8), tag(279, 200, 200, 200, 200)), probe.ErrMalformed},
		"a strip past the end":   {tiffFile(tag(273, 1<<20)), probe.ErrMalformed},
		"fewer offsets":          {tiffFile(tag(278, 2), tag(273, 8), tag(279, 24, 24)), probe.ErrMalformed},
		"no data":                {tiffFile(tag(279, 0)), probe.ErrMalformed},
		"tiles without a height": {tiffFile(tag(322, 16), tag(324, 8), tag(325, 48)), probe.ErrExcessive},
		"a directory elsewhere":  {[]byte("II*\x00\xFF\xFF\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), probe.ErrMalformed},
		"JPEG that is none":      {tiffFile(tag(259, 7)), probe.ErrMalformed},
		"JPEG of ink":            {tiffFile(tag(259, 7), tag(262, 5)), probe.ErrUnsupported},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info, err := header(tt.data)
			if tt.want == nil {
				require.NoError(t, err)
				require.Equal(t, [2]int{4, 4}, [2]int{info.Width, info.Height})
				return
			}
			require.ErrorIs(t, err, tt.want)
		})
	}
}

func TestTIFFTilesCountPastTheEdges(t *testing.T) {
	t.Parallel()
	info, err := header(tiffFile(tag(256, 100_000), tag(257, 1), tag(322, 16), tag(323, 10_000), tag(324, 8), tag(325, 48)))
	require.NoError(t, err)
	require.Equal(t, int64(100_000*10_000), info.Work)
	require.Equal(t, int64(16*10_000*3), info.Block)
}

func TestTIFFStripsAreBlocksOnlyWhereReadWhole(t *testing.T) {
	t.Parallel()
	tall := []mediatest.TIFFTag{tag(256, 1000), tag(257, 1000), tag(278, 1000)}
	line, err := header(tiffFile(tall...))
	require.NoError(t, err)
	require.Equal(t, int64(3*1000), line.Block)
	whole, err := header(tiffFile(append(tall, tag(284, 2))...))
	require.NoError(t, err)
	require.Equal(t, int64(3*1000*1000), whole.Block)
}

func TestTIFFThumbnailIsNoPage(t *testing.T) {
	t.Parallel()
	file := mediatest.TIFF(t, 8, 8)
	link := len(file) - 4
	file, link = mediatest.AppendTIFFDirectory(file, link, tag(254, 1), tag(256, 2))
	info, err := header(file)
	require.NoError(t, err)
	require.Equal(t, 1, info.Pages)

	binary.LittleEndian.PutUint32(file[link:], binary.LittleEndian.Uint32(file[4:]))
	_, err = header(file)
	require.ErrorIs(t, err, probe.ErrExcessive, "directories that go round in a circle")
}

func TestTIFFTagTwiceIsMalformed(t *testing.T) {
	t.Parallel()
	file, _ := mediatest.AppendTIFFDirectory(make([]byte, 64), 4, tag(256, 4), tag(256, 60_000))
	copy(file, "II*\x00")
	_, err := header(file)
	require.ErrorIs(t, err, probe.ErrMalformed)
}

func TestJPEGInTIFFMustKeepToItsPart(t *testing.T) {
	t.Parallel()
	part := mediatest.JPEG(t, 8, 8)
	file := append([]byte("II*\x00\x00\x00\x00\x00"), part...)
	tags := func(width uint32) []mediatest.TIFFTag {
		return []mediatest.TIFFTag{
			tag(256, width), tag(257, 8), tag(258, 8), tag(259, 7), tag(262, 6), tag(273, 8), tag(277, 3), tag(278, 8),
			tag(279, uint32(len(part))),
		}
	}
	fits, _ := mediatest.AppendTIFFDirectory(append([]byte(nil), file...), 4, tags(8)...)
	_, err := header(fits)
	require.NoError(t, err)
	larger, _ := mediatest.AppendTIFFDirectory(append([]byte(nil), file...), 4, tags(4)...)
	_, err = header(larger)
	require.ErrorIs(t, err, probe.ErrMalformed)
}

func TestBigTIFFIsRead(t *testing.T) {
	t.Parallel()
	be := binary.BigEndian
	file := append([]byte("MM\x00+\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10"), be.AppendUint64(nil, 4)...)
	for _, v := range [][2]uint64{{256, 70}, {257, 50}, {273, 16}, {279, 8}} {
		file = be.AppendUint16(file, uint16(v[0]))
		file = be.AppendUint16(file, 16)
		file = be.AppendUint64(be.AppendUint64(file, 1), v[1])
	}
	info, err := header(append(file, make([]byte, 8)...))
	require.NoError(t, err)
	require.Equal(t, [2]int{70, 50}, [2]int{info.Width, info.Height})
}
