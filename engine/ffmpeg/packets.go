package ffmpeg

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// packets are one track's packets as ffprobe listed them. Those that an edit list hides are not among them.
type packets struct {
	all []packet
	// total is the sum of their lengths in seconds, end where the latest one in the file's order ends.
	total, end float64
}

type packet struct {
	at, length float64
	key        bool
}

// add takes one packet in ffprobe's words. One without a time follows the one before it.
func (p *packets) add(at, length, flags string) {
	if strings.Contains(flags, "D") {
		return
	}
	begin, timed := seconds(at)
	if !timed {
		begin = p.end
	}
	lasts, known := seconds(length)
	if !known || lasts < 0 {
		lasts = 0
	}
	p.all = append(p.all, packet{begin, lasts, strings.HasPrefix(flags, "K")})
	p.total += lasts
	p.end = begin + lasts
}

// inOrder sorts by time.
func (p *packets) inOrder() []packet {
	slices.SortStableFunc(p.all, func(a, b packet) int { return cmp.Compare(a.at, b.at) })
	return p.all
}

// sinceFirst is the time from the earliest beginning to the latest end, and at least the sum of all lengths: packets that
// all claim one time are still played one after the other.
func (p *packets) sinceFirst() float64 {
	if p == nil || len(p.all) == 0 {
		return 0
	}
	first, last := math.Inf(1), math.Inf(-1)
	for _, one := range p.all {
		first, last = min(first, one.at), max(last, one.at+one.length)
	}
	return max(last-first, p.total)
}

// hiddenGap is the most that lies between a hidden frame of VP8 and the one that is shown in its place: WebM counts
// milliseconds.
const hiddenGap = 0.0015

// withoutHidden leaves out the frames of VP8 that are decoded and never shown (RFC 6386, 9.1, show_frame). Encoders put
// each at the time of a shown one; in VP9 and AV1 both share a packet.
func withoutHidden(sorted []packet) []packet {
	return slices.CompactFunc(sorted, func(a, b packet) bool { return math.Abs(a.at-b.at) < hiddenGap })
}

// timeline is what a video track's packets say of its frames.
type timeline struct {
	shown   []moment
	origin  float64
	seconds float64
	// even is the middle of all distances between frames, in seconds; 0 with one frame.
	even     float64
	variable bool
}

// A frame lies off the even spacing when its distance from the one before differs by more than a quarter, and by more
// than the rounding of WebM's milliseconds at both ends.
const (
	offShare    = 0.25
	offRounding = 0.0011
)

func (p *packets) timeline(codec string) timeline {
	sorted := p.inOrder()
	if codec == "vp8" {
		sorted = withoutHidden(sorted)
	}
	if len(sorted) == 0 {
		return timeline{}
	}
	t := timeline{origin: sorted[0].at, shown: make([]moment, len(sorted))}
	gaps := make([]float64, 0, len(sorted))
	for i, one := range sorted {
		t.shown[i] = moment{one.at - t.origin, one.key}
		if i > 0 {
			gaps = append(gaps, one.at-sorted[i-1].at)
		}
	}
	last := sorted[len(sorted)-1]
	if len(gaps) == 0 {
		t.seconds = last.length
		return t
	}
	slices.Sort(gaps)
	t.even = gaps[len(gaps)/2]
	off := max(offShare*t.even, offRounding)
	t.variable = t.even-gaps[0] > off || gaps[len(gaps)-1]-t.even > off
	if last.length <= 0 {
		last.length = t.even
	}
	t.seconds = last.at + last.length - t.origin
	return t
}
