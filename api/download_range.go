package api

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// rangeSpec is one int-range or suffix-range of RFC 9110, section 14.1.1.
var rangeSpec = regexp.MustCompile(`^[ \t]*([0-9]*)-([0-9]*)[ \t]*$`)

// oneRange is r with the one range that net/http is to serve of a file of size bytes, or with none: then the file goes
// out whole. RFC 9110, section 14.2, lets a server ignore a Range, and bids it to where the unit is unknown or the method
// is not GET. Several ranges are ignored because each would be a read of storage, which anybody could ask for by the
// thousand. A range of no bytes that can be asked for is left to be refused (section 15.5.17).
func oneRange(r *http.Request, size int64) *http.Request {
	asked, ok := r.Header["Range"]
	if !ok {
		return r
	}
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Del("Range")
	if r.Method == http.MethodGet && len(asked) == 1 {
		if spec := bytesOf(asked[0], size); spec != "" {
			r.Header.Set("Range", spec)
		}
	}
	return r
}

// bytesOf reads a Range of bytes as net/http does not: units in any case, positions beyond an int64, a suffix of
// nothing. It is "" for what is no single range.
func bytesOf(asked string, size int64) string {
	unit, set, _ := strings.Cut(asked, "=")
	spec := rangeSpec.FindStringSubmatch(set)
	if !strings.EqualFold(unit, "bytes") || spec == nil {
		return ""
	}
	first, last := position(spec[1]), position(spec[2])
	switch {
	case spec[1] == "" && spec[2] == "":
		return ""
	case spec[1] == "" && last == 0:
		return fmt.Sprintf("bytes=%d-", size) // lies behind the end, as do the last 0 bytes
	case spec[1] == "":
		return fmt.Sprintf("bytes=-%d", last)
	case spec[2] == "":
		return fmt.Sprintf("bytes=%d-", first)
	case last < first:
		return ""
	}
	return fmt.Sprintf("bytes=%d-%d", first, last)
}

// position reads digits, of which any number may come: what no int64 holds lies behind every end.
func position(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // the largest int64 beside the only error there is
	return n
}
