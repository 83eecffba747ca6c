package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rate is where the account stands with its requests a minute, as answers tell it
// (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4). A quota of 0 is unknown.
type rate struct {
	quota, left int64
	// window is the time of the quota, more the time until one more request is available than now.
	window, more time.Duration
}

func readRate(h http.Header) rate {
	policy, now := parameters(h.Get("RateLimit-Policy")), parameters(h.Get("RateLimit"))
	left, ok := now["r"]
	if !ok || policy["q"] <= 0 || policy["w"] <= 0 || policy["w"] > 86400 {
		return rate{}
	}
	return rate{
		quota: policy["q"], left: left, window: time.Duration(policy["w"]) * time.Second,
		more: time.Duration(min(max(now["t"], 0), 86400)) * time.Second,
	}
}

// parameters reads the whole numbers of one item, as in `"minute";q=60;w=60`.
func parameters(item string) map[string]int64 {
	found := map[string]int64{}
	for _, part := range strings.Split(item, ";")[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			found[name] = n
		}
	}
	return found
}

// spacing is how far apart readings should be, so that waiting leaves requests for work: nothing while most are left, four
// times the account's pace below half, and until more come when none are left.
func (r rate) spacing() time.Duration {
	if r.quota == 0 || r.left > r.quota/2 {
		return 0
	}
	apart := 4 * r.window / time.Duration(r.quota)
	if r.left == 0 {
		apart += r.more
	}
	return apart
}
