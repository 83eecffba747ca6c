package quota

import (
	"math"
	"time"
)

// Window is the time over which an account's requests a minute are counted.
const Window = time.Minute

// Rate is where an account stands with its requests a minute after a request was counted or refused by GCRA, the
// generic cell rate algorithm (ITU-T I.371, annex A): a whole minute's requests may come at once, and then one every
// Window/Limit.
type Rate struct {
	// Limit is the account's requests a minute.
	Limit int
	// Remaining is how many more requests would pass now.
	Remaining int
	// Reset is the time until one more request becomes available than now; 0 when the whole limit is free.
	Reset time.Duration
	// RetryAfter is the time until one request would pass; 0 when the request was allowed.
	RetryAfter time.Duration
}

// Emission is the time that one request takes up of the [Window]. The limit must be above 0.
func Emission(limit int) time.Duration {
	return Window / time.Duration(limit)
}

// RateAt reads a rate from the theoretical arrival time, given as how far it lies ahead of now.
func RateAt(limit int, ahead time.Duration, allowed bool) Rate {
	if limit <= 0 {
		return Rate{RetryAfter: Window}
	}
	emission := Emission(limit)
	ahead = min(max(ahead, 0), Window)
	r := Rate{Limit: limit, Remaining: int((Window - ahead) / emission)}
	if !allowed {
		r.Remaining = 0
		// A twin may have moved the arrival time since it was read, so the wait is never shown as nothing.
		r.RetryAfter = max(ahead+emission-Window, time.Millisecond)
		r.Reset = r.RetryAfter
	} else if ahead > 0 {
		r.Reset = ahead - (Window - time.Duration(r.Remaining+1)*emission)
	}
	return r
}

// Seconds rounds a wait up to whole seconds, at least 1, as Retry-After wants it (RFC 9110, section 10.2.3).
func Seconds(d time.Duration) int {
	return max(1, int(math.Ceil(d.Seconds())))
}
