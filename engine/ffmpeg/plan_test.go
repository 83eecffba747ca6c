package ffmpeg

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// evenly is a video of n frames, step seconds apart, with a key frame every so many.
func evenly(n, every int, step float64) *Video {
	v := &Video{Seconds: float64(n) * step, Frames: n}
	for i := range n {
		v.shown = append(v.shown, moment{float64(i) * step, i%every == 0})
	}
	return v
}

func chosen(targets []target) []int {
	var frames []int
	for _, one := range targets {
		frames = append(frames, one.frame)
	}
	return frames
}

func TestKeyFramesAreTakenWhereTheyLieCloseEnough(t *testing.T) {
	t.Parallel()
	// Three minutes at 30 frames a second with x264's usual distance of key frames: eight key frames, each decoded alone.
	v := evenly(5400, 250, 1.0/30)
	targets := v.plan(eighths(v.Seconds), nil)
	require.Len(t, targets, 8)
	for i, one := range targets {
		require.Equal(t, one.frame, one.from)
		require.InDelta(t, eighths(v.Seconds)[i], v.shown[one.frame].at, 4.2)
	}

	// One minute has as many key frames as times, none of them at a time: still they serve.
	v = evenly(1800, 250, 1.0/30)
	require.Equal(t, []int{0, 250, 500, 750, 1000, 1250, 1500, 1750}, chosen(v.plan(eighths(v.Seconds), nil)))

	// Ten seconds have two: the other frames are decoded from them on.
	v = evenly(300, 250, 1.0/30)
	exact := 0
	for _, one := range v.plan(eighths(v.Seconds), nil) {
		require.True(t, v.shown[one.from].key)
		require.LessOrEqual(t, one.from, one.frame)
		if one.from != one.frame {
			exact++
		}
	}
	require.Equal(t, 6, exact)
}

func TestKeyFramesCrowdedAtOneEndAreNotTakenForOthers(t *testing.T) {
	t.Parallel()
	v := evenly(800, 1, 0.1)
	for i := 8; i < len(v.shown); i++ {
		v.shown[i].key = false
	}
	at := eighths(v.Seconds)
	for i, one := range v.plan(at, nil) {
		require.InDelta(t, at[i], v.shown[one.frame].at, 10)
	}
}

func TestFilesWithoutKeyFramesAreReadFromTheirBeginning(t *testing.T) {
	t.Parallel()
	v := evenly(10, 1, 1)
	for i := range v.shown {
		v.shown[i].key = false
	}
	for _, one := range v.plan(eighths(10), nil) {
		require.Zero(t, one.from)
	}
}

func TestPlansGiveEachTimeAFrameOfItsOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := &Video{}
		at := 0.0
		for range rapid.IntRange(1, 60).Draw(t, "frames") {
			v.shown = append(v.shown, moment{at, rapid.Bool().Draw(t, "key")})
			at += rapid.Float64Range(0, 3).Draw(t, "gap")
		}
		v.Seconds = at
		times := rapid.SliceOfN(rapid.Float64Range(0, max(at, 0.1)), 1, 12).Draw(t, "times")
		slices.Sort(times)
		skip := map[int]bool{}
		for range rapid.IntRange(0, len(v.shown)-1).Draw(t, "skipped") {
			skip[rapid.IntRange(0, len(v.shown)-1).Draw(t, "skip")] = true
		}
		targets := v.plan(times, skip)
		require.Len(t, targets, len(times))
		seen := map[int]bool{}
		for _, one := range targets {
			if one.frame == none {
				continue
			}
			require.False(t, seen[one.frame], "frame %d is taken twice", one.frame)
			require.False(t, skip[one.frame])
			seen[one.frame] = true
			require.LessOrEqual(t, one.from, one.frame)
			require.True(t, one.from == 0 || v.shown[one.from].key)
		}
		require.Len(t, seen, min(len(times), len(v.shown)-len(skip)))
	})
}

// TestChosenKeyFramesAreTheBest compares with all possible choices.
func TestChosenKeyFramesAreTheBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := evenly(40, 1, 1)
		keys := rapid.SliceOfNDistinct(rapid.IntRange(0, 39), 0, 7, rapid.ID[int]).Draw(t, "keys")
		slices.Sort(keys)
		times := rapid.SliceOfN(rapid.Float64Range(0, 40), 1, 4).Draw(t, "times")
		slices.Sort(times)
		const reach = 6.0
		got := v.chooseKeys(times, v.closeTo(times, keys), reach)
		require.InDelta(t, best(v, times, keys, reach), cost(v, times, got, reach), 1e-9)
	})
}

func cost(v *Video, times []float64, chosen []int, reach float64) float64 {
	sum := 0.0
	for i, key := range chosen {
		if key == none {
			sum += 2*reach + 1
			continue
		}
		sum += math.Abs(times[i] - v.shown[key].at)
	}
	return sum
}

func best(v *Video, times []float64, keys []int, reach float64) float64 {
	if len(times) == 0 {
		return 0
	}
	least := 2*reach + 1 + best(v, times[1:], keys, reach)
	for i, key := range keys {
		if away := math.Abs(times[0] - v.shown[key].at); away <= reach {
			least = min(least, away+best(v, times[1:], keys[i+1:], reach))
		}
	}
	return least
}
