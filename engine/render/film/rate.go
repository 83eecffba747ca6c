package film

import (
	"math"

	"veracity/engine/ffmpeg"
)

// standardRates are the constant rates that a clip of variable rate is brought to, in ascending order.
var standardRates = []ffmpeg.Rate{
	{Num: 1, Den: 1},
	{Num: 2, Den: 1},
	{Num: 5, Den: 1},
	{Num: 8, Den: 1},
	{Num: 10, Den: 1},
	{Num: 12, Den: 1},
	{Num: 15, Den: 1},
	{Num: 20, Den: 1},
	{Num: 24000, Den: 1001},
	{Num: 24, Den: 1},
	{Num: 25, Den: 1},
	{Num: 30000, Den: 1001},
	{Num: 30, Den: 1},
	{Num: 40, Den: 1},
	{Num: 48, Den: 1},
	{Num: 50, Den: 1},
	{Num: 60000, Den: 1001},
	{Num: 60, Den: 1},
	{Num: 75, Den: 1},
	{Num: 90, Den: 1},
	{Num: 100, Den: 1},
	{Num: 120, Den: 1},
	{Num: 144, Den: 1},
	{Num: 240, Den: 1},
}

const (
	// below is by how much a standard rate may lie under the mean of a variable one: cameras that skip now and then stay at
	// their own rate, and of the pictures that do not fit hardly any is left out.
	below = 0.02
	// lonely is the rate of a single picture without a length.
	lonely = 25
)

// outputRate is the constant rate of the output: the source's own, or for one of variable rate the lowest standard rate
// that has room for its pictures. Where that would make more pictures than are allowed, or no standard rate is high enough,
// it is the mean rate.
func outputRate(v ffmpeg.Video, maxFrames int) ffmpeg.Rate {
	mean := v.FPS.Float()
	if mean <= 0 {
		return ffmpeg.Rate{Num: lonely, Den: 1}
	}
	if v.VariableRate {
		for _, r := range standardRates {
			if r.Float() >= mean*(1-below) && framesIn(v.Seconds, r) <= maxFrames {
				return r
			}
		}
	}
	return reduced(v.FPS)
}

// reduced is r in lowest terms, in which containers write it.
func reduced(r ffmpeg.Rate) ffmpeg.Rate {
	a, b := r.Num, r.Den
	for b != 0 {
		a, b = b, a%b
	}
	return ffmpeg.Rate{Num: r.Num / a, Den: r.Den / a}
}

// framesIn is how many pictures a length in seconds has at a rate: at least one.
func framesIn(seconds float64, r ffmpeg.Rate) int {
	const most = 1 << 30
	return int(math.Round(min(max(1, seconds*r.Float()), most)))
}
