package views

import (
	"strconv"
	"strings"
)

// chooseCoding is the shortest body among those that the client takes (RFC 9110, section 12.5.3): brotli before gzip
// where both are welcome. "" is the file itself, which every client takes.
func chooseCoding(accept []string, bodies map[string][]byte) string {
	welcome := codings(accept)
	best := ""
	for _, coding := range []string{"br", "gzip"} {
		body, ok := bodies[coding]
		if ok && welcome(coding) && len(body) < len(bodies[best]) {
			best = coding
		}
	}
	return best
}

// codings reads Accept-Encoding. A weight of 0 refuses; an asterisk speaks of all that are not named.
func codings(accept []string) func(string) bool {
	named := map[string]bool{}
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		taken := true
		if key, weight, ok := strings.Cut(strings.TrimSpace(parameters), "="); ok && strings.EqualFold(strings.TrimSpace(key), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			taken = err == nil && q > 0
		}
		named[strings.ToLower(strings.TrimSpace(name))] = taken
	}
	return func(coding string) bool {
		if taken, ok := named[coding]; ok {
			return taken
		}
		return named["*"]
	}
}

// matches tells whether If-None-Match names the tag, by weak comparison (RFC 9110, section 13.1.2).
func matches(given []string, tag string) bool {
	for one := range strings.SplitSeq(strings.Join(given, ","), ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == tag || one == "*" {
			return true
		}
	}
	return false
}
