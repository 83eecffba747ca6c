package ffmpeg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"veracity/engine/raster"
)

// Frame is one picture of a video.
type Frame struct {
	// T is when the picture is shown, in seconds from the first one: that of the frame that was read, not the time asked
	// for.
	T float64
	// Image is upright, in square pixels and sRGB, with three channels; high dynamic range is mapped to it.
	Image *raster.Image
}

// Bounds on one call.
const (
	maxTimes = 64
	mostSide = 8192
)

// rounds is how often frames are chosen anew in place of those that turn out damaged.
const rounds = 3

// Frames reads pictures of a clip at about the given times, in seconds from the first frame: at most one for each, all
// different, in the order of time. Neither side is longer than maxSide pixels, 1 to 8192. All pictures are held at once.
//
// Each picture is a key frame near its time where there is one, read by seeking and decoded alone; the number of frames
// decoded is then that of the times. Where key frames lie further apart than the times, the frame at the time itself is
// decoded, from the key frame before it on. Damaged frames give way to others. There are fewer pictures than times when
// the clip has fewer frames that can be decoded.
//
// Errors: ErrNoVideo without a video track, ErrUndecodable when no frame can be decoded, ErrOverTime after
// Config.ReadTimeout.
func (t *Tool) Frames(ctx context.Context, clip Clip, at []float64, maxSide int) ([]Frame, error) {
	if clip.Video == nil || len(clip.Video.shown) == 0 {
		return nil, fmt.Errorf("read frames: %w", ErrNoVideo)
	}
	if len(at) == 0 || len(at) > maxTimes {
		return nil, fmt.Errorf("read frames: %d times are given: 1 to %d are needed", len(at), maxTimes)
	}
	if maxSide < 1 || maxSide > mostSide {
		return nil, fmt.Errorf("read frames: maxSide is %d: 1 to %d are needed", maxSide, mostSide)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.cfg.ReadTimeout, ErrOverTime)
	defer cancel()
	frames, err := t.frames(ctx, clip, sortedTimes(at, clip.Video.Seconds), maxSide)
	if err != nil {
		return nil, fmt.Errorf("read frames: %w", err)
	}
	return frames, nil
}

func sortedTimes(at []float64, whole float64) []float64 {
	times := slices.Clone(at)
	for i, s := range times {
		if math.IsNaN(s) {
			s = 0
		}
		times[i] = min(max(s, 0), whole)
	}
	slices.Sort(times)
	return times
}

// frames reads in rounds: for times whose frame turns out damaged, the next round chooses others.
func (t *Tool) frames(ctx context.Context, clip Clip, times []float64, maxSide int) ([]Frame, error) {
	v := clip.Video
	size := newCanvas(v, maxSide)
	tried := map[int]bool{}
	// Damage seldom ends with a frame: those close by are not tried in its place.
	reach := spacing(times, v.Seconds) / 2
	var frames []Frame
	var complaint error
	for range rounds {
		var targets []target
		var wanted []float64
		for i, want := range v.plan(times, tried) {
			if want.frame != none {
				targets, wanted = append(targets, want), append(wanted, times[i])
				tried[want.frame] = true
			}
		}
		images, err := t.read(ctx, clip, targets, size)
		if err != nil && !errors.Is(err, ErrUndecodable) {
			return nil, err
		}
		complaint = cmp.Or(complaint, err)
		times = times[:0]
		for i, image := range images {
			if image == nil {
				times = append(times, wanted[i])
				v.markAround(targets[i].frame, reach, tried)
				continue
			}
			frames = append(frames, Frame{v.shown[targets[i].frame].at, image})
		}
		if len(times) == 0 {
			break
		}
	}
	if len(frames) == 0 {
		return nil, cmp.Or(complaint, fmt.Errorf("%w: no frame came out of the decoder", ErrUndecodable))
	}
	slices.SortFunc(frames, func(a, b Frame) int { return cmp.Compare(a.T, b.T) })
	return frames, nil
}

// markAround puts the frames that are less than reach away from one into the set.
func (v *Video) markAround(frame int, reach float64, set map[int]bool) {
	for i, m := range v.shown {
		if math.Abs(m.at-v.shown[frame].at) < reach {
			set[i] = true
		}
	}
}

// read gives the targets' pictures in their order, nil for those that did not come out. Its error, when it is
// ErrUndecodable, leaves the pictures that came out valid.
func (t *Tool) read(ctx context.Context, clip Clip, targets []target, size canvas) ([]*raster.Image, error) {
	images := make([]*raster.Image, len(targets))
	var keys []int
	groups := map[int][]int{}
	for i, want := range targets {
		if want.frame == want.from {
			keys = append(keys, i)
		} else {
			groups[want.from] = append(groups[want.from], i)
		}
	}
	var complaints error
	put := func(which []int, got []*raster.Image, err error) error {
		for i, at := range which {
			images[at] = got[i]
		}
		if err != nil && !errors.Is(err, ErrUndecodable) {
			return err
		}
		complaints = cmp.Or(complaints, err)
		return nil
	}
	for batch := range slices.Chunk(keys, size.atOnce()) {
		got, err := t.readKeys(ctx, clip, pick(targets, batch), size)
		if err := put(batch, got, err); err != nil {
			return nil, err
		}
	}
	for _, group := range groups {
		got, err := t.scan(ctx, clip, pick(targets, group), size)
		if err := put(group, got, err); err != nil {
			return nil, err
		}
	}
	return images, complaints
}

func pick(targets []target, which []int) []target {
	picked := make([]target, len(which))
	for i, at := range which {
		picked[i] = targets[at]
	}
	return picked
}
