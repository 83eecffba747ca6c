package ffmpeg

import (
	"cmp"
	"math"
	"slices"
)

// target is a frame to be read: its number in Video.shown, and the number of the key frame from which it is decoded, the
// same one for a key frame.
type target struct{ frame, from int }

// plan chooses a frame for each of the sorted times, each another one: the nearest key frame where one lies close enough,
// since that alone can be decoded alone, and else the frame at the time itself. Close enough is no further away than the
// times are from each other, so that the frames stay spread as the times are. Frames in skip are not chosen. A time for
// which no frame is left has the target none.
func (v *Video) plan(times []float64, skip map[int]bool) []target {
	keys := make([]int, 0, len(v.shown))
	for i, m := range v.shown {
		if m.key && !skip[i] {
			keys = append(keys, i)
		}
	}
	chosen := v.chooseKeys(times, v.closeTo(times, keys), spacing(times, v.Seconds))
	used := map[int]bool{}
	for _, key := range chosen {
		used[key] = true
	}
	targets := make([]target, len(times))
	for i, frame := range chosen {
		if frame == none {
			frame = v.nearestFree(times[i], used, skip)
			used[frame] = true
		}
		targets[i] = target{frame, v.keyBefore(frame)}
	}
	return targets
}

// none stands for no frame.
const none = -1

// spacing is the least distance between two of the sorted times, or the clip's length when there is one time.
func spacing(times []float64, whole float64) float64 {
	least := whole
	for i := 1; i < len(times); i++ {
		if gap := times[i] - times[i-1]; gap > 0 {
			least = min(least, gap)
		}
	}
	return least
}

// closeTo leaves as many key frames on each side of each time as there are times: others cannot be chosen, and a file may
// have very many.
func (v *Video) closeTo(times []float64, keys []int) []int {
	var near []int
	from := 0
	for _, at := range times {
		next, _ := slices.BinarySearchFunc(keys, at, func(key int, at float64) int { return cmp.Compare(v.shown[key].at, at) })
		from = max(from, next-len(times))
		until := min(next+len(times), len(keys))
		if from < until {
			near = append(near, keys[from:until]...)
			from = until
		}
	}
	return near
}

// chooseKeys gives each of the sorted times a key frame of its own at most reach away, or none, in ascending order and
// with the least sum of distances. Going without costs more than any key frame within reach.
func (v *Video) chooseKeys(times []float64, keys []int, reach float64) []int {
	without := 2*reach + 1
	// cost[i][j] is the least cost of the first i times with the first j key frames; took says whether the i-th time has
	// the j-th key frame in it.
	cost := make([][]float64, len(times)+1)
	took := make([][]bool, len(times)+1)
	for i := range cost {
		cost[i], took[i] = make([]float64, len(keys)+1), make([]bool, len(keys)+1)
		for j := range cost[i] {
			if i == 0 {
				continue
			}
			cost[i][j] = cost[i-1][j] + without
			if j == 0 {
				continue
			}
			cost[i][j] = min(cost[i][j], cost[i][j-1])
			away := math.Abs(times[i-1] - v.shown[keys[j-1]].at)
			if with := cost[i-1][j-1] + away; away <= reach && with <= cost[i][j] {
				cost[i][j], took[i][j] = with, true
			}
		}
	}
	chosen := slices.Repeat([]int{none}, len(times))
	for i, j := len(times), len(keys); i > 0 && j > 0; {
		switch {
		case took[i][j]:
			chosen[i-1] = keys[j-1]
			i, j = i-1, j-1
		case cost[i][j] == cost[i][j-1]:
			j--
		default:
			i--
		}
	}
	return chosen
}

// nearestFree is the frame nearest to a time that is neither used nor to be skipped, or none.
func (v *Video) nearestFree(at float64, used, skip map[int]bool) int {
	best := none
	for i, m := range v.shown {
		if used[i] || skip[i] {
			continue
		}
		if best == none || math.Abs(m.at-at) < math.Abs(v.shown[best].at-at) {
			best = i
		}
	}
	return best
}

// keyBefore is the last key frame up to a frame; the first frame when there is none, as in files that begin amid things.
func (v *Video) keyBefore(frame int) int {
	if frame == none {
		return none
	}
	for i := frame; i >= 0; i-- {
		if v.shown[i].key {
			return i
		}
	}
	return 0
}
