package film

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// likeness is the structural similarity of luma of the samples: the mean of all pictures, and the mean of the worst
// sample.
type likeness struct{ mean, worst float64 }

// decibels is a similarity on the scale of a signal's noise, as ffmpeg's ssim filter gives it: 0.99 is 20 dB. What cannot
// be told from the same is 60 dB.
func decibels(ssim float64) float64 {
	const most = 60
	if ssim >= 1 {
		return most
	}
	return min(most, -10*math.Log10(1-ssim))
}

// maxListing bounds what is read of a file that a filter or muxer of ffmpeg wrote, in bytes: 5,400 pictures take 600 KB.
const maxListing = 8 << 20

// readLikeness reads the statistics of ffmpeg's ssim filter, a line a picture, for samples of the given lengths.
func readLikeness(path string, samples []int) (likeness, error) {
	f, err := os.Open(path)
	if err != nil {
		return likeness{}, fmt.Errorf("read similarities: %w", err)
	}
	defer func() { _ = f.Close() }()
	l, err := parseLikeness(io.LimitReader(f, maxListing), samples)
	if err != nil {
		return likeness{}, fmt.Errorf("read similarities: %w", err)
	}
	return l, nil
}

func parseLikeness(r io.Reader, samples []int) (likeness, error) {
	var luma []float64
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		y, err := lumaOf(lines.Text())
		if err != nil {
			return likeness{}, err
		}
		luma = append(luma, y)
	}
	if err := lines.Err(); err != nil {
		return likeness{}, err
	}
	var wanted int
	for _, n := range samples {
		wanted += n
	}
	if len(luma) == 0 || len(luma) != wanted {
		return likeness{}, fmt.Errorf("%d pictures were compared where %d were sampled", len(luma), wanted)
	}
	l := likeness{worst: 1}
	for _, n := range samples {
		var sum float64
		for _, y := range luma[:n] {
			sum += y
		}
		luma = luma[n:]
		l.mean += sum / float64(wanted)
		if n > 0 {
			l.worst = min(l.worst, sum/float64(n))
		}
	}
	return l, nil
}

// lumaOf reads a line such as "n:1 Y:0.994 U:0.996 V:0.997 All:0.995 (23.0)".
func lumaOf(line string) (float64, error) {
	_, rest, found := strings.Cut(line, "Y:")
	value, _, _ := strings.Cut(rest, " ")
	y, err := strconv.ParseFloat(value, 64)
	if !found || err != nil || math.IsNaN(y) || y > 1 {
		return 0, fmt.Errorf("the similarity in %.80q cannot be read", line)
	}
	return y, nil
}
