package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
)

func TestContractEachOptimizationWithACallbackIsToldOnceAndNothingElseIs(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	var mu sync.Mutex
	var lines []string
	hooks.answers(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, r.Method+" "+r.URL.RequestURI())
		w.WriteHeader(http.StatusNoContent)
	})
	s := working(t, scripted(t, nil), hooks.allow)
	c := s.customer(account.Overrides{})
	link := hooks.url + "/a%20b?order=1&x=%26"
	first, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "first")
	require.NoError(t, err)
	second, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "second")
	require.NoError(t, err)
	as := func(key string) customer { return customer{service: s, account: c.account, key: key} }

	clip := film(t, 1)
	secrets := map[string]string{
		as(first.Key).optimize(strings.TrimSuffix(inBase64(photo(t)), "}") + `,"callback_url":"` + link + `"}`).accepted():                         first.SigningSecret,
		as(second.Key).optimize(object("video_upload_id", c.upload("video/mp4", marked(clip, "video_too_long")), "callback_url", link)).accepted(): second.SigningSecret,
	}
	silent := c.optimize(inBase64(photo(t))).accepted()
	check := c.audit(object("video_upload_id", c.upload("video/mp4", clip), "callback_url", link)).accepted()
	voice := c.audit(object("audio_upload_id", c.upload("audio/wav", marked(mediatest.WAV(1), "audio_too_long")), "callback_url", "no URL at all")).accepted()
	for _, made := range []account.NewKey{first, second} {
		require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), made.ID))
	}
	c.optimize(object("audio_upload_id", c.upload("audio/wav", mediatest.WAV(1)), "callback_url", link)).meets(refusal{"", 415, "unsupported_media"})
	c.ended("/api/v1/optimize/"+silent, "succeeded")
	c.ended("/api/v1/audit/"+check, "succeeded")
	c.ended("/api/v1/audit/"+voice, "failed")
	require.Eventually(t, func() bool {
		var delivered int
		err := s.DB.QueryRow(t.Context(), `SELECT count(*) FROM delivery WHERE state = 'delivered'`).Scan(&delivered)
		return err == nil && delivered == len(secrets)
	}, jobPatience, 20*time.Millisecond)
	list, err := s.Webhooks.List(t.Context(), c.account, 100)
	require.NoError(t, err)
	require.Len(t, list, len(secrets), "all jobs have ended and no other is to be told")
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"POST /hook/a%20b?order=1&x=%26", "POST /hook/a%20b?order=1&x=%26"}, lines)
	ended := map[any]bool{}
	for _, call := range hooks.calls() {
		require.Equal(t, "application/json", call.header.Get("Content-Type"))
		var body map[string]any
		require.NoError(t, json.Unmarshal(call.body, &body))
		id := body["id"].(string)
		require.Contains(t, secrets, id)
		call.signedWith(t, secrets[id])
		require.Equal(t, string(c.call(http.MethodGet, "/api/v1/optimize/"+id, "").body), string(call.body))
		ended[body["status"]] = true
	}
	require.Equal(t, map[any]bool{"succeeded": true, "failed": true}, ended)
}
