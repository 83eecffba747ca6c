package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
)

func TestContractDownloadsAskForNoKeyPlanCreditsOrRate(t *testing.T) {
	t.Parallel()
	s := working(t, scripted(t, nil))
	credits, none := int64(2), 0
	c := s.customer(account.Overrides{Credits: &credits})
	id := c.optimize(inBase64(photo(t))).accepted()
	path := "/api/v1/optimize/" + id
	c.ended(path, "succeeded")
	whole := s.send(http.MethodGet, path+"/file", "").body
	revoked := c.colleague()
	require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), revoked.keyID))
	senders := map[string][]string{
		"nobody": nil, "its owner": {"X-API-Key", c.key}, "a revoked key": {"X-API-Key", revoked.key},
		"an unknown key": {"X-API-Key", foreignKey(t)}, "a malformed key": {"X-API-Key", "svc_live_"}, "an empty key": {"X-API-Key", ""},
		"a wrong bearer": {"Authorization", "Bearer wrong"}, "another scheme": {"Authorization", "Basic eDp5"},
		"another account": {"X-API-Key", s.customer(account.Overrides{}).key},
	}
	download := func(when string) {
		for who, headers := range senders {
			for _, name := range []string{"/file", "/image"} {
				r := s.send(http.MethodGet, path+name, "", headers...)
				require.Equal(t, http.StatusOK, r.status, "%s, account %s: %s", who, when, r.body)
				require.Equal(t, whole, r.body)
				require.Empty(t, r.header.Get("RateLimit"))
				require.Equal(t, http.StatusOK, s.send(http.MethodHead, path+name, "", headers...).status, "%s, account %s", who, when)
				r = s.send(http.MethodGet, "/api/v1/optimize/"+uuid.NewString()+name, "", headers...)
				require.Equal(t, http.StatusNotFound, r.status, "%s, account %s: %s", who, when, r.body)
				r.meets(refusal{"", 404, "not_found"})
			}
		}
	}
	download("in order")
	c.optimize(inBase64(photo(t))).meets(refusal{"", 402, "quota_exceeded"})
	download("without credits")
	c.may(account.Overrides{Jobs: &none})
	c.optimize(inBase64(photo(t))).meets(refusal{"", 429, "too_many_jobs"})
	download("without a free slot")
	c.overRate()
	c.call(http.MethodGet, path, "").meets(refusal{"", 429, "rate_limited"})
	download("over its rate")
	for state, code := range map[account.State]string{
		account.PaymentFailed: "payment_failed", account.PlanRequired: "plan_required", account.Suspended: "plan_required",
	} {
		c.in(state)
		c.call(http.MethodGet, path, "").meets(refusal{"", 402, code})
		download(string(state))
	}
}

func TestContractDownloadsAreNotFoundUntilTheOptimizationHasSucceeded(t *testing.T) {
	t.Parallel()
	s := start(t, quickly, scripted(t, nil))
	c := s.customer(account.Overrides{})
	good := c.optimize(inBase64(photo(t))).accepted()
	bad := c.optimize(object("video_upload_id", c.upload("video/mp4", marked(film(t, 1), "video_too_long")))).accepted()
	check := c.audit(object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1)))).accepted()
	missing := func(ids ...string) {
		for _, id := range ids {
			for _, name := range []string{"/file", "/image"} {
				s.send(http.MethodGet, "/api/v1/optimize/"+id+name, "").meets(refusal{"", 404, "not_found"})
				head := s.send(http.MethodHead, "/api/v1/optimize/"+id+name, "")
				require.Equal(t, http.StatusNotFound, head.status)
				require.Empty(t, head.body)
			}
		}
	}
	missing(good, bad, check, strings.ToUpper(check), uuid.NewString(), "17")
	require.NoError(t, s.startWorker(t.Context()))
	c.ended("/api/v1/optimize/"+good, "succeeded")
	c.ended("/api/v1/optimize/"+bad, "failed")
	c.ended("/api/v1/audit/"+check, "succeeded")
	missing(bad, check)
	for _, name := range []string{"/file", "/image"} {
		path := "/api/v1/optimize/" + strings.ToUpper(good) + name
		whole, head := s.send(http.MethodGet, path, ""), s.send(http.MethodHead, path, "")
		require.Equal(t, []int{200, 200}, []int{whole.status, head.status})
		require.NotEmpty(t, whole.body)
		require.Empty(t, head.body)
		for _, header := range []string{"Content-Type", "Content-Length", "Content-Disposition", "ETag", "Expires"} {
			require.Equal(t, whole.header.Get(header), head.header.Get(header), header)
		}
	}
}
