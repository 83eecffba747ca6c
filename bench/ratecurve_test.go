package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// encoder plays an encoder whose curve is known: perStep decibels and 12 % of the bytes a step of CRF.
func encoder(crf int, perStep float64) encoded {
	db := 18 - perStep*float64(crf-23)
	return encoded{crf: crf, ssim: 1 - math.Pow(10, -db/10), bytes: int64(1e6 * math.Pow(0.88, float64(crf-23)))}
}

func TestEncodesLieAroundTheWantedLikeness(t *testing.T) {
	t.Parallel()
	for _, perStep := range []float64{0.2, 0.45, 0.9} {
		for _, want := range []int{17, 22, 23, 24, 30} {
			wanted := encoder(want, perStep).ssim + 1e-6
			var made []encoded
			for len(made) < 3 {
				crf := nextCRF(made, wanted)
				require.False(t, tried(made, crf), "CRF %d again", crf)
				made = append(made, encoder(crf, perStep))
			}
			require.Equal(t, firstCRF, made[0].crf)
			sorted := byDistance(made, wanted)
			require.LessOrEqual(t, abs(sorted[0].crf-want), 2)
			require.InEpsilon(t, encoder(want, perStep).bytes, bytesAt(made, wanted), 0.01, "CRF %d at %.2f dB a step: %+v", want, perStep, made)
		}
	}
}

func TestLikenessBeyondTheScaleIsStillRead(t *testing.T) {
	t.Parallel()
	var made []encoded
	for len(made) < 3 {
		made = append(made, encoder(nextCRF(made, 1), 0.45))
	}
	require.Greater(t, bytesAt(made, 1), float64(made[0].bytes))
	same := []encoded{{bytes: 10, ssim: 0.9}, {bytes: 12, ssim: 0.9}}
	require.InDelta(t, 10, bytesAt(same, 0.95), 0)
}

func TestSSIMIsRead(t *testing.T) {
	t.Parallel()
	line := "[Parsed_ssim_4 @ 0x5581] SSIM Y:0.987654 (19.085) U:0.99 (20.0) V:0.99 (20.0) All:0.99 (20.0)\n"
	require.Equal(t, "0.987654", lumaSSIM.FindStringSubmatch(line)[1])
}

func abs(n int) int { return max(n, -n) }
