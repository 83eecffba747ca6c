package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/media"
	"veracity/quota"
)

type callerKey struct{}

// callerOf is who the request acts for. Only handlers behind authenticate may ask.
func callerOf(ctx context.Context) media.Caller {
	c, _ := ctx.Value(callerKey{}).(media.Caller)
	return c
}

// authenticate lets a request through when its key, plan, payment and rate allow it.
func (a *API) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := a.accounts.Authenticate(r.Context(), token(r.Header))
		if caller.Account != uuid.Nil {
			noteCaller(r.Context(), caller.Account, caller.Key)
		}
		if caller.Rate.Limit > 0 {
			writeRate(w.Header(), caller.Rate)
		}
		if err != nil {
			writeError(w, r, err)
			return
		}
		ctx := context.WithValue(r.Context(), callerKey{}, media.Caller{Account: caller.Account, Key: caller.Key})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// token is the key as sent: X-API-Key alone when it is there, else the Bearer credentials (RFC 6750, section 2.1).
func token(h http.Header) string {
	if values, ok := h["X-Api-Key"]; ok {
		return strings.TrimSpace(values[0])
	}
	scheme, credentials, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(credentials)
}

// writeRate tells the policy and where the account stands (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
func writeRate(h http.Header, r quota.Rate) {
	window := strconv.Itoa(int(quota.Window / time.Second))
	h.Set("RateLimit-Policy", `"minute";q=`+strconv.Itoa(r.Limit)+`;w=`+window)
	h.Set("RateLimit", `"minute";r=`+strconv.Itoa(r.Remaining)+`;t=`+strconv.Itoa(quota.Seconds(r.Reset)))
}
