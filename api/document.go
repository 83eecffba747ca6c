package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"veracity/api/openapi"
	"veracity/platform/fault"
)

// documentAge is how long the description may be kept by those who have read it: it changes with a release alone.
const documentAge = "public, max-age=300"

// document is the API's description of itself.
type document struct {
	body []byte
	// tag is the entity tag of body.
	tag string
}

// documentAt is the description of an API that is reached at baseURL.
func documentAt(baseURL string) document {
	body := openapi.At(baseURL)
	sum := sha256.Sum256(body)
	return document{body: body, tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// describe is GET /openapi.json. Conditions are those of RFC 9110, section 13, but for dates, of which the document has
// none; it goes out whole, whatever Range says.
func (a *API) describe(w http.ResponseWriter, r *http.Request) error {
	if match := r.Header.Values("If-Match"); len(match) > 0 && !lists(match, a.document.tag, false) {
		return fault.New(fault.PreconditionFailed, "The document is not, or is no longer, the one that the condition names.")
	}
	h := w.Header()
	h.Set("ETag", a.document.tag)
	h.Set("Cache-Control", documentAge)
	h.Set("X-Content-Type-Options", "nosniff")
	if lists(r.Header.Values("If-None-Match"), a.document.tag, true) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(a.document.body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(a.document.body) // the client has gone when this fails
	return nil
}

// lists tells whether a condition names the tag, weakly too where that counts (RFC 9110, section 8.8.3.2).
func lists(condition []string, tag string, weakly bool) bool {
	for one := range strings.SplitSeq(strings.Join(condition, ","), ",") {
		one = strings.TrimSpace(one)
		if weakly {
			one = strings.TrimPrefix(one, "W/")
		}
		if one == "*" || one == tag {
			return true
		}
	}
	return false
}
