package ffmpeg

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDisplayMatricesTurnAndMirror(t *testing.T) {
	t.Parallel()
	const one = 65536
	printed := func(a, b, c, d int) string {
		return fmt.Sprintf(`\n00000000: %11d %11d %11d\n00000001: %11d %11d %11d\n00000002: %11d %11d %11d\n`, a, b, 0, c, d, 0, 0, 0, 1<<30)
	}
	cases := map[string]struct {
		printed string
		degrees int
		filters string
	}{
		"none":                  {"", 0, ""},
		"upright":               {printed(one, 0, 0, one), 0, ""},
		"clockwise":             {printed(0, one, -one, 0), 90, "transpose=clock"},
		"upside down":           {printed(-one, 0, 0, -one), 180, "hflip,vflip"},
		"anticlockwise":         {printed(0, -one, one, 0), 270, "transpose=cclock"},
		"mirrored":              {printed(-one, 0, 0, one), 0, "hflip"},
		"mirrored upside down":  {printed(one, 0, 0, -one), 0, "vflip"},
		"mirrored and turned":   {printed(0, one, one, 0), 90, "transpose=cclock_flip"},
		"mirrored, anticlocked": {printed(0, -one, -one, 0), 270, "transpose=clock_flip"},
		"a little askew":        {printed(one, one/8, -one/8, one), 0, ""},
		"all zero":              {printed(0, 0, 0, 0), 0, ""},
		"words":                 {`\n00000000: left right`, 0, ""},
		"cut off":               {`\n00000000: 0 65536 0`, 0, ""},
	}
	for name, c := range cases {
		degrees, filters := orientation(c.printed)
		require.Equal(t, c.degrees, degrees, name)
		require.Equal(t, c.filters, filters, name)
	}
}

func TestPixelShapesStretchWithinReason(t *testing.T) {
	t.Parallel()
	cases := []struct {
		aspect   string
		rotation int
		want     [2]int
	}{
		{"1:1", 0, [2]int{720, 576}},
		{"N/A", 90, [2]int{576, 720}},
		{"0:1", 0, [2]int{720, 576}},
		{"16:15", 0, [2]int{768, 576}},
		{"16:15", 270, [2]int{576, 768}},
		{"1:2", 0, [2]int{360, 576}},
		{"1000000:1", 0, [2]int{720, 576}},
		{"1:1000000", 0, [2]int{720, 576}},
		{"-4:3", 0, [2]int{720, 576}},
	}
	for _, c := range cases {
		w, h := shownSize(720, 576, c.aspect, c.rotation)
		require.Equal(t, c.want, [2]int{w, h}, c.aspect)
	}
	w, _ := shownSize(65_000, 2, "4:1", 0)
	require.Equal(t, maxShownSide, w)
}

func TestSizesFit(t *testing.T) {
	t.Parallel()
	for want, given := range map[[2]int][3]int{{100, 50}: {100, 50, 100}, {64, 32}: {100, 50, 64}, {1, 64}: {1, 6400, 64}, {36, 64}: {1080, 1920, 64}} {
		w, h := fit(given[0], given[1], given[2])
		require.Equal(t, want, [2]int{w, h})
	}
}

func TestBatchesShrinkAsPicturesGrow(t *testing.T) {
	t.Parallel()
	require.Equal(t, 8, canvas{coded: 1920 * 1080}.atOnce())
	require.Equal(t, 3, canvas{coded: 3840 * 2160}.atOnce())
	require.Equal(t, 1, canvas{coded: 8192 * 4320}.atOnce())
}

func TestMatricesAreThoseThatPlayersTake(t *testing.T) {
	t.Parallel()
	cases := map[string]Video{
		"bt709":     {CodedWidth: 1920, CodedHeight: 1080, PixelFormat: "yuv420p"},
		"smpte170m": {CodedWidth: 720, CodedHeight: 576, PixelFormat: "yuv420p"},
		"bt2020":    {CodedWidth: 64, CodedHeight: 64, PixelFormat: "yuv420p10le", HDR: true},
		"fcc":       {CodedWidth: 1920, CodedHeight: 1080, Matrix: "fcc", PixelFormat: "yuv420p"},
		"":          {CodedWidth: 1920, CodedHeight: 1080, Matrix: "bt709", Range: "tv", PixelFormat: "gbrp10le"},
	}
	for want, v := range cases {
		require.Equal(t, want, v.ScaleMatrix())
		require.Empty(t, v.ScaleRange())
	}
	require.Equal(t, "smpte170m", Video{Matrix: "bt470bg"}.ScaleMatrix())
	require.Equal(t, "bt2020", Video{Matrix: "bt2020c"}.ScaleMatrix())
	require.Empty(t, Video{Matrix: "ycgco"}.ScaleMatrix())
	require.Equal(t, "pc", Video{Range: "pc", PixelFormat: "yuvj420p"}.ScaleRange())
}
