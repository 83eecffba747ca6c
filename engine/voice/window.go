package voice

// A window is long enough for a sentence, and windows begin so far apart that a clip of the greatest length has 60.
const (
	windowSamples = 4 * Rate
	hopSamples    = 3 * Rate
	// slack is how far the hop is stretched before another window is worth its while: encoders pad clips by less.
	slackSamples = Rate / 4
)

// span is a range of samples.
type span struct{ from, to int }

// windowsOf spreads windows evenly over n samples, the first at the beginning and the last at the end, each overlapping
// the next. A clip shorter than a window is one window.
func windowsOf(n int) []span {
	switch {
	case n == 0:
		return nil
	case n <= windowSamples:
		return []span{{0, n}}
	}
	way := n - windowSamples
	hops := max(1, (way-slackSamples+hopSamples-1)/hopSamples)
	spans := make([]span, hops+1)
	for i := range spans {
		from := i * way / hops
		spans[i] = span{from, from + windowSamples}
	}
	return spans
}
