package playground_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/playground"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

// rig is the playground over acts with a scripted engine, and an owner of the account.
type rig struct {
	*playground.Playground
	*acttest.Rig
	t  *testing.T
	by access.Actor
}

func setup(t *testing.T) *rig {
	t.Helper()
	acts := acttest.Setup(t)
	acts.Caller.Key = uuid.Nil
	return &rig{
		Playground: playground.New(playground.Parts{DB: acts.DB, Media: acts.Service}),
		Rig:        acts, t: t, by: access.Actor{Account: acts.Caller.Account, User: uuid.New(), Role: access.Developer},
	}
}

func (r *rig) image() media.Source {
	return media.FromFile(engine.Image, bytes.NewReader(mediatest.PNG(r.t, 32, 32)))
}

func (r *rig) play(id uuid.UUID, src media.Source) (playground.Run, error) {
	return r.Run(r.t.Context(), r.by, r.Caller, id, "cat.png", src)
}

func TestImageIsCheckedAndKept(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := uuid.New()
	run, err := r.play(id, r.image())
	require.NoError(t, err)
	require.Equal(t, playground.Done, run.State)
	require.Equal(t, engine.AI, run.Report.Verdict)
	require.Equal(t, int64(1), run.Credits)
	require.NotNil(t, run.EndedAt)
	again, err := r.Read(t.Context(), r.by.Account, id)
	require.NoError(t, err)
	require.Equal(t, run, again)
	r.Sound(1)
}

func TestFormSentTwiceRunsOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := uuid.New()
	var twins sync.WaitGroup
	for range 6 {
		twins.Go(func() {
			run, err := r.play(id, r.image())
			if err != nil || run.ID != id {
				t.Errorf("a twin got %v, %v", run.ID, err)
			}
		})
	}
	twins.Wait()
	r.Sound(1)
	runs, err := r.List(t.Context(), r.by.Account, 10)
	require.NoError(t, err)
	require.Len(t, runs, 1)
}

func TestRolesWithoutTheRightAndForeignAccountsAreRefused(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := uuid.New()
	for _, role := range []access.Role{access.Viewer, access.Billing} {
		by := r.by
		by.Role = role
		_, err := r.Run(t.Context(), by, r.Caller, id, "cat.png", r.image())
		require.Equal(t, fault.Forbidden, fault.CodeOf(err), role)
	}
	_, err := r.play(id, r.image())
	require.NoError(t, err)
	foreign := access.Actor{Account: uuid.New(), User: uuid.New(), Role: access.Owner}
	_, err = r.DB.Exec(t.Context(), `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, 'other@example.com', 'pro', 'active', 'operator', 10, 60, 1, 1)`, foreign.Account)
	require.NoError(t, err)
	_, err = r.Run(t.Context(), foreign, media.Caller{Account: foreign.Account}, id, "cat.png", r.image())
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "the id is another account's")
	_, err = r.Read(t.Context(), foreign.Account, id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	_, err = r.Run(t.Context(), r.by, media.Caller{Account: foreign.Account}, uuid.New(), "cat.png", r.image())
	require.Error(t, err, "nobody spends another account's credits")
	runs, err := r.List(t.Context(), foreign.Account, 10)
	require.NoError(t, err)
	require.Empty(t, runs)
	r.Sound(1)
}

func TestFailureIsWrittenDownAndCostsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.Engine.Look = func(context.Context, engine.Source) (engine.Report, error) {
		return engine.Report{}, fault.New(fault.UnsupportedMedia, "It is no image.")
	}
	id := uuid.New()
	run, err := r.play(id, r.image())
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err))
	require.Equal(t, playground.Failed, run.State)
	require.Equal(t, &media.JobError{Code: fault.UnsupportedMedia, Message: "It is no image."}, run.Error)

	r.Engine.Look = func(context.Context, engine.Source) (engine.Report, error) {
		return engine.Report{}, errors.New("secret of ours at 10.0.0.1")
	}
	run, err = r.play(uuid.New(), r.image())
	require.Equal(t, fault.InternalError, fault.CodeOf(err))
	require.NotContains(t, run.Error.Message, "secret")
	twin, err := r.play(id, r.image())
	require.NoError(t, err)
	require.Equal(t, playground.Failed, twin.State, "a twin of a failed run does not run either")
	r.Sound(0)
}

func TestRunGoesOnWhenTheBrowserLeaves(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ctx, leave := context.WithCancel(t.Context())
	r.Engine.Look = func(ctx context.Context, src engine.Source) (engine.Report, error) {
		leave()
		require.NoError(t, ctx.Err())
		return acttest.GeneratedImage(ctx, src)
	}
	run, err := r.Run(ctx, r.by, r.Caller, uuid.New(), "cat.png", r.image())
	require.NoError(t, err)
	require.Equal(t, playground.Done, run.State)
	r.Sound(1)
}

func TestClipFollowsItsJob(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := uuid.New()
	run, err := r.play(id, media.FromFile(engine.Video, bytes.NewReader(mediatest.MP4Head())))
	require.NoError(t, err)
	require.Equal(t, playground.Running, run.State)
	require.NotEqual(t, uuid.Nil, run.Job)
	job, err := r.Job(t.Context(), r.by.Account, run.Job)
	require.NoError(t, err)
	require.Nil(t, job.Key)

	r.Drive(run.Job)
	run, err = r.Read(t.Context(), r.by.Account, id)
	require.NoError(t, err)
	require.Equal(t, playground.Done, run.State)
	require.InDelta(t, 12, run.Report.Video.Seconds, 0)
	require.Equal(t, int64(3), run.Credits)
	r.Sound(3)

	_, err = r.DB.Exec(t.Context(), `UPDATE job SET expires_at = now() - interval '1 second'`)
	require.NoError(t, err)
	run, err = r.Read(t.Context(), r.by.Account, id)
	require.NoError(t, err)
	require.Equal(t, playground.Failed, run.State)
	require.Equal(t, fault.NotFound, run.Error.Code)

	r.Engine.SetClip(func(context.Context, engine.ClipRequest) (engine.Report, error) {
		return engine.Report{}, fault.New(fault.VideoUnsupported, "It cannot be decoded.")
	})
	run, err = r.play(uuid.New(), media.FromFile(engine.Video, bytes.NewReader(mediatest.MP4Head())))
	require.NoError(t, err)
	r.Drive(run.Job)
	run, err = r.Read(t.Context(), r.by.Account, run.ID)
	require.NoError(t, err)
	require.Equal(t, fault.VideoUnsupported, run.Error.Code)
	require.Equal(t, int64(0), run.Credits)
}

func TestRunWhoseProcessDiedReadsAsInterrupted(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := uuid.New()
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO playground_run (id, account_id, user_id, media, name, created_at)
		VALUES ($1, $2, $3, 'image', 'cat.png', now() - interval '14 minutes')`, id, r.by.Account, r.by.User)
	require.NoError(t, err)
	run, err := r.Read(t.Context(), r.by.Account, id)
	require.NoError(t, err)
	require.Equal(t, playground.Running, run.State, "it may still live")
	_, err = r.DB.Exec(t.Context(), `UPDATE playground_run SET created_at = now() - interval '16 minutes'`)
	require.NoError(t, err)
	run, err = r.Read(t.Context(), r.by.Account, id)
	require.NoError(t, err)
	require.Equal(t, playground.Failed, run.State)
	require.Contains(t, run.Error.Message, "nothing was charged")
}

func TestOldRunsAreForgotten(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO playground_run (id, account_id, user_id, media, name, state, created_at)
		SELECT gen_random_uuid(), $1, $2, 'image', 'n' || i, 'done', now() - i * interval '1 minute' FROM generate_series(1, 203) AS i`,
		r.by.Account, r.by.User)
	require.NoError(t, err)
	n, err := r.Forget(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(3), n, "the oldest beyond 200")
	_, err = r.DB.Exec(t.Context(), `UPDATE playground_run SET created_at = now() - interval '8 days' WHERE name IN ('n1', 'n2')`)
	require.NoError(t, err)
	n, err = r.Forget(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
	runs, err := r.List(t.Context(), r.by.Account, 1000)
	require.NoError(t, err)
	require.Len(t, runs, 198)
	require.Equal(t, "n3", runs[0].Name, "the newest first")
}

func TestNameIsKeptTidyAndShort(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run, err := r.Run(t.Context(), r.by, r.Caller, uuid.New(), "a\x00b\n\xff"+strings.Repeat("ä", 500), r.image())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(run.Name, "ab\uFFFDä"), run.Name)
	require.Len(t, []rune(run.Name), 200)
}
