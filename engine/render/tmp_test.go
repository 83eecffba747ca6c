package render_test
import ("testing";"os";"fmt"
	"github.com/stretchr/testify/require"
	"veracity/engine/mediatest"
	"veracity/engine/render"
	"veracity/engine/watermark/marktest"
)
func TestTmp(t *testing.T) {
	const width, height, frames = 384, 256, 12
	photo := mediatest.Photo(width, height+2*frames)
	for _, w := range marktest.Generators()[2:4] {
	for _, crf := range []int{16,20,22,24,26} {
			source, _ := os.ReadFile(marktest.Film(t, w.Pan(photo, width, height, frames), crf))
			job, tl := jobOn(t, source), tool(t)
			before := marksInFilm(t, tl, job.Path)
			out, err := render.Video(t.Context(), tl, job)
			if err != nil { fmt.Println(w.Payload, crf, before, err); continue }
			require.NoError(t, err)
			fmt.Println(w.Payload, crf, before, marksInFilm(t, tl, job.Out), out.Detail.(render.Detail).Encoding, out.Detail.(render.Detail).Mode, out.Score)
	}}
}
