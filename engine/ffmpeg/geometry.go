package ffmpeg

import (
	"math"
	"strconv"
	"strings"
)

// orientation reads a display matrix (ISO/IEC 14496-12, 8.3.2) as ffprobe prints it, three rows of three fixed-point
// numbers, and gives the degrees clockwise by which the coded picture is shown turned, with the filters that do it. Angles
// in between count as the nearest right one. A mirrored picture has filters of its own.
func orientation(printed string) (degrees int, filters string) {
	var m []float64
	for word := range strings.FieldsSeq(strings.ReplaceAll(printed, `\n`, " \n ")) {
		if strings.HasSuffix(word, ":") {
			continue // The number of a row.
		}
		value, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, ""
		}
		m = append(m, value)
	}
	if len(m) != 9 {
		return 0, ""
	}
	a, b, c, d := m[0], m[1], m[3], m[4]
	if math.Abs(a)+math.Abs(d) >= math.Abs(b)+math.Abs(c) {
		switch {
		case a < 0 && d < 0:
			return 180, "hflip,vflip"
		case a < 0:
			return 0, "hflip"
		case d < 0:
			return 0, "vflip"
		}
		return 0, ""
	}
	switch {
	case b > 0 && c < 0:
		return 90, "transpose=clock"
	case b < 0 && c > 0:
		return 270, "transpose=cclock"
	case b > 0:
		return 90, "transpose=cclock_flip"
	}
	return 270, "transpose=clock_flip"
}

const (
	// maxStretch is the most that a pixel's shape may differ from a square for it to be believed; anamorphic film has 2.
	maxStretch = 4
	// maxShownSide bounds the shown size.
	maxShownSide = 1 << 16
)

// shownSize is the size in square pixels after turning. As players do, it widens or narrows and keeps the height.
func shownSize(width, height int, aspect string, rotation int) (w, h int) {
	over, under, _ := strings.Cut(aspect, ":")
	num, err1 := strconv.Atoi(over)
	den, err2 := strconv.Atoi(under)
	if err1 == nil && err2 == nil && num > 0 && den > 0 {
		stretch := float64(num) / float64(den)
		if stretch <= maxStretch && stretch >= 1.0/maxStretch {
			width = min(max(1, int(math.Round(float64(width)*stretch))), maxShownSide)
		}
	}
	if rotation == 90 || rotation == 270 {
		return height, width
	}
	return width, height
}

// fit scales a size down until neither side is longer than most.
func fit(width, height, most int) (w, h int) {
	longer := max(width, height)
	if longer <= most {
		return width, height
	}
	scale := func(side int) int { return max(1, int(math.Round(float64(side)*float64(most)/float64(longer)))) }
	return scale(width), scale(height)
}
