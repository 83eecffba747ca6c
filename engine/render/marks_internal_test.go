package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/ffmpeg"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/render/film"
	"veracity/engine/watermark/marktest"
	"veracity/platform/fault"
)

func TestAVideoWhoseMarkNoEncodingKeepsIsRefused(t *testing.T) {
	t.Parallel()
	const width, height, frames = 384, 256, 8
	mark := marktest.Generators()[3]
	path := marktest.Film(t, mark.Pan(mediatest.Photo(width, height+2*frames), width, height, frames), 8)
	tool, err := ffmpeg.New(ffmpeg.DefaultConfig())
	require.NoError(t, err)
	clip, err := tool.Probe(t.Context(), path, probe.MP4)
	require.NoError(t, err)
	const worst = 51
	coarse := film.DefaultConfig()
	coarse.BestCRF, coarse.LowestCRF = worst, worst
	dir := t.TempDir()
	job := Job{Path: path, Dir: dir, Out: dir + "/out.mp4"}
	_, err = encodeFilm(t.Context(), tool, clip, job, []film.Config{coarse, coarse}, nil)
	require.Equal(t, fault.Stage1Failed, fault.CodeOf(err), "%v", err)
	require.Contains(t, fault.From(err).Message, "mark")
}
