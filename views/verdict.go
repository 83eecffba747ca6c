package views

import (
	"fmt"
	"strings"
)

// Places of the drawn scale, in units of its view box.
const (
	scaleStart = 10.0
	scaleUnit  = 3.8
)

// scaleMark is the outline of the pointer above a score from 0 to 100.
func scaleMark(score int) string {
	x := scaleStart + scaleUnit*float64(min(max(score, 0), 100))
	return fmt.Sprintf("M%.1f 32 l-7 -20 h14 z", x)
}

// said leads to the value, where there is one.
func (f Finding) said() string {
	if f.Value == "" {
		return f.What
	}
	return f.What + ": "
}

// FileSize writes a number of bytes in the unit that people read it in: 1.2 MB. A MB is 2^20 bytes, as in the limits.
func FileSize(n int64) string {
	for _, unit := range []struct {
		name string
		of   int64
	}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}} {
		if n >= unit.of {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.of)), ".0") + " " + unit.name
		}
	}
	return Count(n) + " bytes"
}
