package supervise

import "time"

// Waits before a restart: none after a first end, so that an engine that was killed is back at once.
const (
	firstWait = 100 * time.Millisecond
	maxWait   = 5 * time.Second
)

// wait is how long to wait after the given number of ends in a row, 1 being the first.
func wait(ends int) time.Duration {
	if ends <= 1 {
		return 0
	}
	d := firstWait
	for range ends - 2 {
		if d *= 2; d >= maxWait {
			return maxWait
		}
	}
	return d
}
