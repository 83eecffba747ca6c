package media_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
)

func ids(jobs []media.JobSummary) []uuid.UUID {
	found := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		found[i] = j.ID
	}
	return found
}

func TestJobsAreListedNewestFirstInPagesAndByFilter(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	check := r.Check(0)
	r.Drive(check)
	optimized := r.Optimize("")
	r.Drive(optimized)
	waiting := r.Optimize("")
	list := func(f media.JobFilter) []media.JobSummary {
		if f.Limit == 0 {
			f.Limit = 10
		}
		found, err := r.Jobs(t.Context(), r.Caller.Account, f)
		require.NoError(t, err)
		return found
	}
	require.Equal(t, []uuid.UUID{waiting, optimized, check}, ids(list(media.JobFilter{})))
	require.Equal(t, []uuid.UUID{waiting, optimized}, ids(list(media.JobFilter{Limit: 2})))
	require.Equal(t, []uuid.UUID{check}, ids(list(media.JobFilter{Before: optimized})))
	require.Equal(t, []uuid.UUID{check}, ids(list(media.JobFilter{Kind: media.KindCheck})))
	require.Equal(t, []uuid.UUID{waiting}, ids(list(media.JobFilter{Status: media.Queued})))
	require.Empty(t, list(media.JobFilter{Kind: media.KindCheck, Status: media.Failed}))

	jobs := list(media.JobFilter{})
	require.Nil(t, jobs[0].Charged)
	require.Equal(t, int64(2), jobs[0].Held)
	require.Equal(t, engine.Excellent, jobs[1].Zone)
	require.Equal(t, 81, *jobs[1].Score)
	require.Equal(t, engine.Unavailable, jobs[2].Verdict)
	require.Nil(t, jobs[2].Score)
	require.Equal(t, int64(3), *jobs[2].Charged)
	require.Equal(t, int64(36), jobs[2].Held)
	require.Equal(t, r.Caller.Key, jobs[2].Key.ID)

	found, err := r.Jobs(t.Context(), uuid.New(), media.JobFilter{Limit: 10, Before: optimized})
	require.NoError(t, err)
	require.Empty(t, found, "a foreign account sees none, also by another's cursor")
}

func TestJobTellsItsKeyItsFailureAndItsWebhook(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO api_key (id, account_id, name, name_folded, start, hash, sealed_secret)
		VALUES ($1, $2, 'Production', 'production', 'svc_live_ab', 'x', 'x')`, r.Caller.Key, r.Caller.Account)
	require.NoError(t, err)
	id := r.Optimize("https://hooks.example.com/done")
	d, err := r.Job(t.Context(), r.Caller.Account, id)
	require.NoError(t, err)
	require.Equal(t, media.JobKey{ID: r.Caller.Key, Name: "Production", Start: "svc_live_ab"}, *d.Key)
	require.Equal(t, "https://hooks.example.com/done", d.Callback)
	require.Equal(t, uuid.Nil, d.Delivery)
	require.Nil(t, d.Answer)
	r.Drive(id)
	d, err = r.Job(t.Context(), r.Caller.Account, id)
	require.NoError(t, err)
	require.NotEqual(t, uuid.Nil, d.Delivery)
	require.Equal(t, "https://api.example.com/api/v1/optimize/"+id.String()+"/file", d.FileURL)
	require.Equal(t, int64(len(acttest.Output)), d.Rendered.Bytes)
	require.Contains(t, string(d.Answer), `"status":"succeeded"`)

	r.Engine.SetClip(func(context.Context, engine.ClipRequest) (engine.Report, error) {
		return engine.Report{}, fault.New(fault.VideoUnsupported, "It cannot be decoded.")
	})
	failed := r.Check(0)
	r.Drive(failed)
	d, err = r.Job(t.Context(), r.Caller.Account, failed)
	require.NoError(t, err)
	require.Equal(t, &media.JobError{Code: fault.VideoUnsupported, Message: "It cannot be decoded."}, d.Error)
	require.Equal(t, int64(0), *d.Charged)
	require.InDelta(t, media.MaxSeconds, *d.MaxSeconds, 0)
}

func TestForeignAndExpiredJobsReadAsNotFound(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Check(0)
	r.Drive(id)
	_, err := r.Job(t.Context(), uuid.New(), id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "a foreign account")
	_, err = r.Job(t.Context(), r.Caller.Account, uuid.New())
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "an unknown id")
	_, err = r.DB.Exec(t.Context(), `UPDATE job SET expires_at = $1`, time.Now().Add(-time.Second))
	require.NoError(t, err)
	_, err = r.Job(t.Context(), r.Caller.Account, id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "an expired one")
	jobs, err := r.Jobs(t.Context(), r.Caller.Account, media.JobFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, jobs)
}

func TestReportWithNullCharactersIsListed(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.SetClip(func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		report, err := acttest.OfVideo(5)(ctx, req)
		report.Detail.Provenance = "a\x00b"
		return report, err
	})
	r.Drive(r.Check(0))
	jobs, err := r.Jobs(t.Context(), r.Caller.Account, media.JobFilter{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, engine.Unavailable, jobs[0].Verdict)
}

func TestCallWithoutAKeyIsAJobOfTheAccountAndHasNoWebhook(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Caller.Key = uuid.Nil
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(t, err)
	_, err = r.StartOptimize(t.Context(), r.Caller, src, "https://hooks.example.com/done", nil)
	require.Equal(t, fault.InvalidCallback, fault.CodeOf(err), "nothing would sign it")
	id := r.Optimize("")
	r.Drive(id)
	d, err := r.Job(t.Context(), r.Caller.Account, id)
	require.NoError(t, err)
	require.Nil(t, d.Key)
	require.Equal(t, media.Succeeded, d.Status)
	r.Sound(2)
}
