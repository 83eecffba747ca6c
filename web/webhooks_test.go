package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/trail"
)

func TestWebhookShowsWhatWasSentAndAnswered(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	require.Contains(t, owner.get("/account/webhooks").text, "No webhook yet")
	job, delivery := r.optimized(t, owner)
	list := owner.get("/account/webhooks")
	require.Contains(t, list.text, "https://hooks.example.com/done")
	require.Contains(t, list.text, "Pending")
	path := "/account/webhooks/" + delivery.ID.String()
	require.Contains(t, list.text, path)
	first := owner.get(path)
	require.Contains(t, first.text, "None yet")
	require.Contains(t, first.text, "/account/jobs/"+job.String())

	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO delivery_attempt (delivery_id, number, started_at, ended_at, status, latency_ms, excerpt, error)
		VALUES ($1, 1, now(), now(), 502, 1234, $2, NULL), ($1, 2, now(), now(), NULL, 10, NULL, 'The server was silent for too long.')`,
		delivery.ID, []byte("<script>\x00\xff no\u202e"))
	require.NoError(t, err)
	page := owner.get(path)
	for _, want := range []string{
		"502", "1,234 ms", "&lt;script&gt;·· no·", "The server was silent for too long.", "&#34;status&#34;: &#34;succeeded&#34;",
		"Service-Signature", "sha256=", "Webhook-Timestamp", "/docs/webhooks",
	} {
		require.Contains(t, page.text, want)
	}
	require.NotContains(t, page.text, "whsec_")
	require.Equal(t, http.StatusNotFound, r.person(t, access.Owner).get(path).status, "a foreign account")
}

func TestRedeliveryFromThePage(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	_, delivery := r.optimized(t, owner)
	path := "/account/webhooks/" + delivery.ID.String()
	_, err := r.DB.Exec(t.Context(), `UPDATE delivery SET state = 'given_up', next_at = NULL, ended_at = now()`)
	require.NoError(t, err)
	page := owner.send(owner.get(path), path+"/redeliver")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.text, "The webhook goes out again at once.")
	require.Contains(t, page.text, "Pending")
	entries, err := trail.Read(t.Context(), r.DB, owner.actor(access.Owner), trail.Filter{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, "webhook.redelivered", entries[0].Act)

	stranger := r.person(t, access.Owner)
	require.Equal(t, http.StatusNotFound, stranger.post(path+"/redeliver", nil).status)
	for _, role := range []access.Role{access.Viewer, access.Billing} {
		user, email := r.member(owner.actor(access.Owner), role)
		who := &person{browser: r.browser(t), Email: email, User: user, Account: owner.Account}
		who.signIn(email)
		require.Contains(t, who.get(path).text, "Your role can look at webhooks but not send them again")
		require.Equal(t, http.StatusForbidden, who.post(path+"/redeliver", nil).status, role)
	}
}
