package film

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
)

// piece is a run of pictures in a file.
type piece struct {
	clip ffmpeg.Clip
	// seek is where it begins, in seconds; frames is how many there are.
	seek   float64
	frames int
}

// samples are re-rendered parts of the source, without loss, against which codings are measured.
type samples struct {
	pieces []piece
	frames int
	// took is how long one picture took to decode and re-render.
	took time.Duration
}

func lengths(pieces []piece) []int {
	all := make([]int, len(pieces))
	for i, p := range pieces {
		all[i] = p.frames
	}
	return all
}

var errNoPictures = errors.New("no picture comes out of the decoder")

// sample renders the spans. A place at which nothing can be decoded is left out; when that is so everywhere, the beginning
// is tried.
func (w *work) sample(ctx context.Context, at []span) (samples, error) {
	var s samples
	begin := time.Now()
	done := w.meter.steps(len(at))
	for i, one := range at {
		p, err := w.renderSpan(ctx, one, i)
		if err != nil {
			return samples{}, err
		}
		if p.frames > 0 {
			s.pieces = append(s.pieces, p)
			s.frames += p.frames
		}
		done(i)
	}
	if s.frames == 0 && at[0].from > 0 {
		return w.sample(ctx, []span{{0, at[0].frames}})
	}
	if s.frames == 0 {
		return samples{}, errNoPictures
	}
	s.took = time.Since(begin) / time.Duration(s.frames)
	return s, nil
}

// renderSpan answers a piece without pictures where none can be decoded.
func (w *work) renderSpan(ctx context.Context, at span, number int) (piece, error) {
	path := filepath.Join(w.dir, fmt.Sprintf("sample-%d-%d.mp4", at.from, number))
	var args []string
	if at.from > 0 {
		args = append(args, "-ss", decimal(float64(at.from)/w.stage.rate.Float()))
	}
	args = append(args, w.source()...)
	args = append(args, "-map", "0:"+strconv.Itoa(w.clip.Video.Index), "-vf", "setpts=PTS-STARTPTS,"+w.stage.filters(),
		"-frames:v", strconv.Itoa(at.frames), "-an")
	args = append(append(args, w.lossless()...), "-f", "mp4", path)
	if err := w.tool.Run(ctx, args, nil); err != nil {
		return piece{}, w.unlessDamaged(ctx, err)
	}
	return written(path), nil
}

// written is a file of ours that holds one picture track, whole; it has no pictures when it cannot be read.
func written(path string) piece {
	p := piece{clip: ffmpeg.Clip{Path: path, Format: probe.MP4}}
	if t := look(path, "vide"); t != nil {
		p.frames = t.samples
	}
	return p
}

// unlessDamaged passes on what is no fault of the place in the clip.
func (w *work) unlessDamaged(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ffmpeg.ErrOverTime) {
		return err
	}
	return nil
}

// try codes the samples one behind the other with the given options and measures the result.
func (w *work) try(ctx context.Context, s samples, encoder []string) (trial, time.Duration, error) {
	path := filepath.Join(w.dir, "trial.mp4")
	args, graph := joined(w.tool, s.pieces, 0, fmt.Sprintf("setpts=N*%d/%d/TB[v]", w.stage.rate.Den, w.stage.rate.Num))
	args = append(args, "-filter_complex", graph, "-map", "[v]", "-r", w.stage.rateText())
	args = append(append(args, encoder...), "-f", "mp4", path)
	begin := time.Now()
	if err := w.tool.Run(ctx, args, nil); err != nil {
		return trial{}, 0, fmt.Errorf("code the samples: %w", err)
	}
	took := time.Since(begin) / time.Duration(s.frames)
	list := filepath.Join(w.dir, "trial.sizes")
	l, err := w.compare(ctx, []piece{written(path)}, s.pieces, "-map", "0:v", "-c", "copy", "-f", "framecrc", list)
	if err != nil {
		return trial{}, 0, err
	}
	coded, err := readSizes(list)
	return trial{likeness: l, sizes: coded}, took, err
}

// compare measures how like the pictures of one are to the others', picture by picture. More are options of a further
// output.
func (w *work) compare(ctx context.Context, coded, reference []piece, more ...string) (likeness, error) {
	stats := filepath.Join(w.dir, "likeness.txt")
	// Both sides count their pictures in the same unit: containers round times differently.
	inputs, left := joined(w.tool, coded, 0, "settb=1/25,setpts=N[coded]")
	others, right := joined(w.tool, reference, len(coded), "settb=1/25,setpts=N[reference]")
	graph := left + ";" + right + ";[coded][reference]ssim=stats_file=" + quoted(stats) + "[out]"
	args := slices.Concat(inputs, others)
	args = append(args, "-filter_complex", graph, "-map", "[out]", "-fps_mode", "passthrough", "-f", "null", "-")
	if err := w.tool.Run(ctx, append(args, more...), nil); err != nil {
		return likeness{}, fmt.Errorf("compare pictures: %w", err)
	}
	counts := coded
	if len(reference) > len(coded) {
		counts = reference
	}
	return readLikeness(stats, lengths(counts))
}

// joined are the inputs of pieces and the graph that puts one behind the other; inputs are counted from first on.
func joined(tool *ffmpeg.Tool, pieces []piece, first int, then string) (inputs []string, graph string) {
	var cuts, labels strings.Builder
	for i, p := range pieces {
		if p.seek > 0 {
			inputs = append(inputs, "-ss", decimal(p.seek))
		}
		inputs = append(inputs, withThreads(tool.Input(p.clip), 1)...)
		fmt.Fprintf(&cuts, "[%d:v]trim=end_frame=%d,setpts=PTS-STARTPTS[p%d];", first+i, p.frames, first+i)
		fmt.Fprintf(&labels, "[p%d]", first+i)
	}
	return inputs, fmt.Sprintf("%s%sconcat=n=%d,%s", cuts.String(), labels.String(), len(pieces), then)
}

// withThreads is an input as ffmpeg.Tool gives it, its file named by the last two arguments, with as many threads.
func withThreads(input []string, threads int) []string {
	file := len(input) - 2
	return append(append(slices.Clone(input[:file]), "-threads", strconv.Itoa(threads)), input[file:]...)
}

func (s *stage) rateText() string { return fmt.Sprintf("%d/%d", s.rate.Num, s.rate.Den) }

func decimal(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 6, 64) }
