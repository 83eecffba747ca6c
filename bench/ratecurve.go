package main

import (
	"cmp"
	"math"
	"slices"
)

// Qualities of x264 that are tried.
const (
	firstCRF = 23
	bestCRF  = 6
	worstCRF = 45
	// slope is by how many decibels of SSIM one step of CRF changes a picture, as a first guess.
	slope = 0.45
)

// decibels puts an SSIM on a scale on which the logarithm of the bytes is nearly a straight line.
func decibels(ssim float64) float64 { return -10 * math.Log10(max(1-ssim, 1e-9)) }

// nextCRF is the quality to try after those that were made: the one that the straight line through the two nearest leads
// to, and never one that was tried.
func nextCRF(made []encoded, want float64) int {
	if len(made) == 0 {
		return firstCRF
	}
	sorted := byDistance(made, want)
	near := sorted[0]
	perStep := slope
	if len(sorted) > 1 {
		other := sorted[1]
		if found := (decibels(other.ssim) - decibels(near.ssim)) / float64(near.crf-other.crf); found > slope/10 {
			perStep = found
		}
	}
	steps := (decibels(near.ssim) - decibels(want)) / perStep
	crf := near.crf + int(math.Copysign(math.Ceil(math.Abs(steps)), steps)) // to the other side of what is wanted
	crf = min(max(crf, bestCRF), worstCRF)
	step := 1
	if steps < 0 {
		step = -1
	}
	for tried(made, crf) {
		crf += step
	}
	return crf
}

func tried(made []encoded, crf int) bool {
	return slices.ContainsFunc(made, func(e encoded) bool { return e.crf == crf })
}

// byDistance sorts encodes by how near they are to an SSIM.
func byDistance(made []encoded, want float64) []encoded {
	distance := func(e encoded) float64 { return math.Abs(decibels(e.ssim) - decibels(want)) }
	return slices.SortedFunc(slices.Values(made), func(a, b encoded) int { return cmp.Compare(distance(a), distance(b)) })
}

// bytesAt reads off how long an encode of the given SSIM would be: on the line through the nearest one on either side, or
// through the two nearest where all are on one side.
func bytesAt(made []encoded, want float64) float64 {
	sorted := byDistance(made, want)
	a, b := sorted[0], sorted[1]
	for _, other := range sorted[1:] {
		if (a.ssim < want) != (other.ssim < want) {
			b = other
			break
		}
	}
	low, high := decibels(a.ssim), decibels(b.ssim)
	if math.Abs(high-low) < 1e-6 {
		return float64(a.bytes)
	}
	part := (decibels(want) - low) / (high - low)
	return math.Exp(math.Log(float64(a.bytes)) + part*(math.Log(float64(b.bytes))-math.Log(float64(a.bytes))))
}
