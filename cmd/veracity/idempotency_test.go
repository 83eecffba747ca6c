package main

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/api"
	"veracity/engine/mediatest"
)

func TestRepeatedRequestIsAnsweredAgainAndChargedOnce(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	body := inBase64(labelledPNG(t))
	first := c.audit(body, "Idempotency-Key", "one")
	first.ok()
	require.Empty(t, first.header.Get("Idempotent-Replayed"))
	again := c.audit(body, "Idempotency-Key", "one")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, first.body, again.body)
	require.Equal(t, first.status, again.status)
	c.spent(1)

	c.audit(body, "Idempotency-Key", "two").ok()
	c.audit(body).ok()
	c.spent(3)
}

func TestAnotherRequestUnderTheSameKeyIsAConflict(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	body := inBase64(labelledPNG(t))
	c.audit(body, "Idempotency-Key", "one").ok()
	c.audit(inBase64(mediatest.JPEG(t, 8, 8)), "Idempotency-Key", "one").refused(409, "idempotency_conflict")
	c.call(http.MethodPost, "/api/v1/audit?detail=full", body, "Idempotency-Key", "one").refused(409, "idempotency_conflict")
	c.call(http.MethodPost, "/api/v1/uploads", body, "Idempotency-Key", "one").refused(409, "idempotency_conflict")
	r := other.audit(body, "Idempotency-Key", "one")
	r.ok()
	require.Empty(t, r.header.Get("Idempotent-Replayed"), "another account's keys are its own")
	c.spent(1)
}

func TestTwinsRunOnce(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	body := inBase64(labelledPNG(t))
	var (
		mu       sync.Mutex
		replayed int
		wg       sync.WaitGroup
	)
	for range 12 {
		wg.Go(func() {
			r := c.audit(body, "Idempotency-Key", "twins")
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, http.StatusOK, r.status)
			if r.header.Get("Idempotent-Replayed") == "true" {
				replayed++
			}
		})
	}
	wg.Wait()
	require.Equal(t, 11, replayed)
	c.spent(1)
}

func TestRefusalsThatMayPassAreNotStored(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *Settings) { s.Optimize = "off" })
	none := int64(0)
	c := s.customer(account.Overrides{Credits: &none})
	body := inBase64(labelledPNG(t))
	c.audit(body, "Idempotency-Key", "k").refused(402, "quota_exceeded")
	some := int64(5)
	_, err := s.Accounts.SetLimits(t.Context(), access.CLI(c.account), account.Overrides{Credits: &some})
	require.NoError(t, err)
	r := c.audit(body, "Idempotency-Key", "k")
	r.ok()
	require.Empty(t, r.header.Get("Idempotent-Replayed"))

	paused := object("image_url", "https://example.com/a")
	for range 2 {
		r := c.call(http.MethodPost, "/api/v1/optimize", paused, "Idempotency-Key", "p")
		r.refused(503, "optimizations_disabled")
		require.Empty(t, r.header.Get("Idempotent-Replayed"))
	}
}

func TestLastingRefusalsAndTicketsAreReplayed(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for range 2 {
		c.audit(inBase64([]byte("no picture")), "Idempotency-Key", "bad").refused(415, "unsupported_media")
	}
	require.Equal(t, "true", c.audit(inBase64([]byte("no picture")), "Idempotency-Key", "bad").header.Get("Idempotent-Replayed"))
	ticket := object("size", 3, "content_type", "image/png")
	first := c.call(http.MethodPost, "/api/v1/uploads", ticket, "Idempotency-Key", "t").ok()
	require.Equal(t, first, c.call(http.MethodPost, "/api/v1/uploads", ticket, "Idempotency-Key", "t").ok())
	c.audit(`{}`, "Idempotency-Key", "a\tb").refused(400, "invalid_parameter")
	c.spent(0)
}

func TestKeyOfADeadRequestIsTakenOver(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	body := inBase64(labelledPNG(t))
	c.audit(body, "Idempotency-Key", "k").ok()
	// What a process leaves that was killed after it had claimed the key and before it could answer.
	_, err := s.DB.Exec(t.Context(), `UPDATE idempotency SET status = NULL, body = NULL, locked_until = now() + interval '700 ms'`)
	require.NoError(t, err)
	begin := time.Now()
	r := c.audit(body, "Idempotency-Key", "k")
	r.ok()
	require.Empty(t, r.header.Get("Idempotent-Replayed"))
	require.Greater(t, time.Since(begin), 500*time.Millisecond, "its owner may live as long as its lease runs")
	c.spent(2)
}

func TestStoredAnswersAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	c.audit(inBase64(labelledPNG(t)), "Idempotency-Key", "k").ok()
	_, err := s.DB.Exec(t.Context(), `UPDATE idempotency SET created_at = now() - interval '25 hours'`)
	require.NoError(t, err)
	r := c.audit(inBase64(mediatest.JPEG(t, 8, 8)), "Idempotency-Key", "k")
	r.ok()
	require.Empty(t, r.header.Get("Idempotent-Replayed"))

	_, err = s.DB.Exec(t.Context(), `UPDATE idempotency SET created_at = now() - interval '25 hours'`)
	require.NoError(t, err)
	n, err := api.ForgetAnswers(t.Context(), s.DB)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
}
