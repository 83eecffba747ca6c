package web_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/media"
	"veracity/webhook"
)

// optimized is an optimization of the person's account that has ended and told its webhook, by a key of the account.
func (r *rig) optimized(t *testing.T, who *person) (job uuid.UUID, delivery webhook.Delivery) {
	t.Helper()
	key, err := r.Accounts.CreateKey(t.Context(), who.actor(access.Owner), "Production")
	require.NoError(t, err)
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(t, err)
	job, err = r.Media.StartOptimize(t.Context(), media.Caller{Account: who.Account, Key: key.ID}, src, "https://hooks.example.com/done", nil)
	require.NoError(t, err)
	r.media.Drive(job)
	list, err := r.Webhooks.List(t.Context(), who.Account, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return job, list[0]
}

func TestJobsShowWhatCameOfThem(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	require.Contains(t, owner.get("/account/jobs").text, "No job yet")
	job, delivery := r.optimized(t, owner)
	page := owner.get("/account/jobs")
	for _, want := range []string{"/account/jobs/" + job.String(), "Succeeded", "Excellent, 81", "Production"} {
		require.Contains(t, page.text, want)
	}
	require.Contains(t, owner.get("/account/jobs?kind=check").text, "No job that is kept fits")
	require.Contains(t, owner.get("/account/jobs?kind=optimize&status=succeeded").text, job.String())
	require.Contains(t, owner.get("/account/jobs?status=x&kind=y&before=z").text, job.String(), "what is no filter filters nothing")

	page = owner.get("/account/jobs/" + job.String())
	for _, want := range []string{
		"https://api.example.com/api/v1/optimize/" + job.String() + "/file", "Excellent", "/account/webhooks/" + delivery.ID.String(),
		"2 <span class=\"muted\">of 2 held", "&#34;optimization_score&#34;", "image/png",
	} {
		require.Contains(t, page.text, want)
	}
	stranger := r.person(t, access.Owner)
	require.Equal(t, http.StatusNotFound, stranger.get("/account/jobs/"+job.String()).status)
	require.Contains(t, stranger.get("/account/jobs").text, "No job yet")
	require.NotContains(t, stranger.get("/account/jobs?before="+job.String()).text, job.String())
}

func TestJobsComeInPages(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	oldest, _ := r.optimized(t, owner)
	_, err := r.DB.Exec(t.Context(), `
		WITH h AS (
			INSERT INTO credit_hold (id, account_id, period_start, amount, state, ended_at)
			SELECT gen_random_uuid(), account_id, period_start, 2, 'released', now() FROM credit_period, generate_series(1, 60)
			WHERE account_id = $1 RETURNING id, account_id
		)
		INSERT INTO job (id, account_id, kind, media, hold_id, source_bytes, status, error_code, error_message, ended_at, expires_at)
		SELECT gen_random_uuid(), account_id, 'optimize', 'image', id, 5, 'failed', 'job_failed', 'No <luck>', now(), now() + interval '1 hour' FROM h`,
		owner.Account)
	require.NoError(t, err)
	page := owner.get("/account/jobs?kind=optimize")
	require.NotContains(t, page.text, oldest.String())
	require.NotContains(t, page.text, ">Newest<")
	require.Regexp(t, `href="/account/jobs\?before=[0-9a-f-]+&amp;kind=optimize" rel="next"`, page.text)
	list, err := r.Media.Jobs(t.Context(), owner.Account, media.JobFilter{Limit: 50})
	require.NoError(t, err)
	page = owner.get("/account/jobs?before=" + list[49].ID.String())
	require.Contains(t, page.text, oldest.String())
	require.Contains(t, page.text, ">Newest<")
	require.NotContains(t, page.text, `rel="next"`)
	failed := owner.get("/account/jobs/" + list[0].ID.String())
	require.Contains(t, failed.text, "No &lt;luck&gt;")
	require.Contains(t, failed.text, "/docs/errors#job_failed")
	require.Contains(t, failed.text, "Playground", "it was started by no key")
}

func TestOptimizedFileIsDescribed(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Viewer)
	ownerOf := *owner
	job, _ := r.optimized(t, &ownerOf)
	page := owner.get("/account/jobs/" + job.String())
	require.Equal(t, http.StatusOK, page.status, "a viewer sees it")
	require.Contains(t, page.text, "Download")
	require.Contains(t, page.text, "more than the source (8 bytes)")
}
