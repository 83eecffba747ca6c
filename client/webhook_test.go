package client

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The vectors that the service publishes.
const (
	vectorSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorBody   = `{"id":"5f0c7d1e-8a44-4a53-b4a1-3c2f6d9e7b10","status":"failed","media":"image","error":{"code":"job_timeout","message":"The job did not finish in time."}}` + "\n"
	otherSecret  = "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI="
)

var vectorTime = time.Unix(1760000000, 0)

func vectorHeader() http.Header {
	return http.Header{
		"Webhook-Id":        {"0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50"},
		"Webhook-Timestamp": {"1760000000"},
		"Webhook-Signature": {"v1,wWBRT4aqZia9IE2VUdKDlVfjjjqNIVzX0R6X+kwidOw="},
		"Service-Signature": {"sha256=9113a10b4c3c61ac757c1903f5d1f1467aba301e3b48a964cd79836883053321"},
	}
}

func TestVectorsOfTheServiceVerify(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{vectorTime, vectorTime.Add(WebhookTolerance), vectorTime.Add(-WebhookTolerance)} {
		event, err := VerifyWebhook(vectorHeader(), []byte(vectorBody), vectorSecret, now)
		require.NoError(t, err)
		require.Equal(t, "0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50", event.ID)
		require.True(t, vectorTime.Equal(event.SentAt))
		require.Equal(t, Failed, event.Optimization.Status)
		require.Equal(t, &JobError{CodeJobTimeout, "The job did not finish in time.", "5f0c7d1e-8a44-4a53-b4a1-3c2f6d9e7b10"}, event.Optimization.Error)
	}
}

func TestWhatIsNotProvenIsRefused(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	for name, row := range map[string]struct {
		change func(http.Header)
		body   string
		secret string
		now    time.Time
	}{
		"another body":           {body: strings.Replace(vectorBody, "failed", "Failed", 1)},
		"no line feed":           {body: strings.TrimSpace(vectorBody)},
		"an empty body":          {body: " "},
		"another secret":         {secret: otherSecret},
		"too old":                {now: vectorTime.Add(WebhookTolerance + time.Second)},
		"from the future":        {now: vectorTime.Add(-WebhookTolerance - time.Second)},
		"a newer time":           {change: set("Webhook-Timestamp", "1760000001")},
		"another id":             {change: set("Webhook-Id", "0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f51")},
		"no time":                {change: func(h http.Header) { h.Del("Webhook-Timestamp") }},
		"no number":              {change: set("Webhook-Timestamp", "now")},
		"a huge number":          {change: set("Webhook-Timestamp", strings.Repeat("9", 30))},
		"no id":                  {change: func(h http.Header) { h.Del("Webhook-Id") }},
		"no standard signature":  {change: func(h http.Header) { h.Del("Webhook-Signature") }},
		"no service signature":   {change: func(h http.Header) { h.Del("Service-Signature") }},
		"no headers":             {change: func(h http.Header) { clear(h) }},
		"upper case":             {change: func(h http.Header) { h.Set("Service-Signature", strings.ToUpper(h.Get("Service-Signature"))) }},
		"cut short":              {change: func(h http.Header) { h.Set("Webhook-Signature", h.Get("Webhook-Signature")[:20]) }},
		"another version":        {change: func(h http.Header) { h.Set("Webhook-Signature", "v2"+h.Get("Webhook-Signature")[2:]) }},
		"not ASCII":              {change: set("Service-Signature", "sha256=ü")},
		"a wrong standard alone": {change: set("Webhook-Signature", "v1,AAAA")},
	} {
		header, body, secret, now := vectorHeader(), vectorBody, vectorSecret, vectorTime
		if row.change != nil {
			row.change(header)
		}
		if row.body != "" {
			body = row.body
		}
		if row.secret != "" {
			secret = row.secret
		}
		if !row.now.IsZero() {
			now = row.now
		}
		_, err := VerifyWebhook(header, []byte(body), secret, now)
		require.ErrorIs(t, err, ErrWebhook, name)
	}
	for _, secret := range []string{"", "whsec_", "whsec_%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		_, err := VerifyWebhook(vectorHeader(), []byte(vectorBody), secret, vectorTime)
		require.ErrorContains(t, err, "signing secret", secret)
	}
	_, err := Webhooks{}.verify(vectorHeader(), []byte(vectorBody), vectorTime)
	require.ErrorIs(t, err, ErrWebhook, "without a secret nothing is proven")
}

func TestSecretsOfTwoKeysAndTwoSignaturesAreTaken(t *testing.T) {
	t.Parallel()
	header := vectorHeader()
	header.Set("Webhook-Signature", "v1,AAAA "+header.Get("Webhook-Signature"))
	_, err := Webhooks{Secrets: []string{otherSecret, vectorSecret}}.verify(header, []byte(vectorBody), vectorTime)
	require.NoError(t, err)
	_, err = Webhooks{Secrets: []string{vectorSecret, otherSecret}}.verify(header, []byte(vectorBody), vectorTime)
	require.NoError(t, err)
	_, err = Webhooks{Secrets: []string{vectorSecret}, Tolerance: time.Hour}.verify(header, []byte(vectorBody), vectorTime.Add(50*time.Minute))
	require.NoError(t, err)
}

// signed is a webhook of now.
func signed(t *testing.T, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hook", strings.NewReader(body))
	at := strconv.FormatInt(time.Now().Unix(), 10)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(vectorSecret, "whsec_"))
	require.NoError(t, err)
	sum := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	r.Header.Set("Webhook-Id", "one")
	r.Header.Set("Webhook-Timestamp", at)
	r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(sum(key, "one."+at+"."+body)))
	r.Header.Set("Service-Signature", "sha256="+hex.EncodeToString(sum([]byte(vectorSecret), body)))
	return r
}

func TestHandlerAnswersWhatTheServiceGoesBy(t *testing.T) {
	t.Parallel()
	var got []*Event
	var fails error
	h := Webhooks{Secrets: []string{vectorSecret}}.Handler(func(_ context.Context, e *Event) error {
		got = append(got, e)
		return fails
	})
	answer := func(r *http.Request) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.NotContains(t, w.Body.String(), "hush")
		return w.Code
	}
	require.Equal(t, http.StatusNoContent, answer(signed(t, vectorBody)))
	require.Len(t, got, 1)
	require.Equal(t, "one", got[0].ID)

	fails = errors.New("hush")
	require.Equal(t, http.StatusInternalServerError, answer(signed(t, vectorBody)))
	require.Len(t, got, 2)

	forged := signed(t, vectorBody)
	forged.Header.Set("Service-Signature", "sha256=00")
	require.Equal(t, http.StatusUnauthorized, answer(forged))
	require.Equal(t, http.StatusInternalServerError, answer(signed(t, "no JSON")))
	large := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hook", bytes.NewReader(make([]byte, 2<<20)))
	require.Equal(t, http.StatusBadRequest, answer(large))
	require.Equal(t, http.StatusMethodNotAllowed, answer(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/hook", http.NoBody)))
	require.Len(t, got, 2, "nothing else reaches the act")
}
