package media_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
	"veracity/quota"
)

func TestCheckIsHeldForTheLimitAndChargedByItsLength(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Check(0)
	require.Equal(t, int64(36), r.Balance().Held, "credits of 180 s at one for each started 5 s")
	check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, media.Queued, check.Status)
	require.Nil(t, check.Report)

	r.Drive(id)
	check, err = r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, media.Succeeded, check.Status)
	require.InDelta(t, 12, check.Report.Video.Seconds, 0)
	r.Sound(3)
	require.Empty(t, r.Blobs(), "the source goes when the job ends")
}

func TestPromiseBoundsTheHoldTheEngineAndTheCharge(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	var asked float64
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		asked = req.MaxSeconds
		// A container may round a clip of 10 s up by a little: the promise is what is charged.
		return acttest.OfVideo(10.08)(ctx, req)
	}
	id := r.Check(10)
	require.Equal(t, int64(2), r.Balance().Held)
	r.Drive(id)
	require.InDelta(t, 10, asked, 0)
	r.Sound(2)
}

func TestOptimizationAnswersItsFixedBodyAndItsFile(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Optimize("https://hooks.example.com/done")
	queued, err := r.ReadOptimization(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"`+id.String()+`","status":"queued","media":"image"}`, string(queued))
	_, err = r.OpenOutput(t.Context(), id.String())
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "no file before success")

	r.Drive(id)
	body, err := r.ReadOptimization(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Contains(t, string(body), `"file_url":"https://api.example.com/api/v1/optimize/`+id.String()+`/file"`)
	require.Contains(t, string(body), `"optimization_score":{"score":81,"zone":"excellent"}`)
	out, err := r.OpenOutput(t.Context(), id.String())
	require.NoError(t, err)
	data, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, out.Close())
	require.Equal(t, acttest.Output, string(data))
	require.Equal(t, "veracity-"+id.String()+".png", out.Name)

	var payload []byte
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT payload FROM delivery WHERE job_id = $1`, id).Scan(&payload))
	require.Equal(t, string(body), string(payload))
	require.Equal(t, 2, r.Queue.Len(), "the job and its webhook")
	r.Sound(2)
}

func TestForeignersAndOddIdsFindNothing(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	check, optimization := r.Check(5), r.Optimize("")
	foreign := media.Caller{Account: uuid.New(), Key: uuid.New()}
	for _, id := range []string{"", "x", "{" + check.String() + "}", uuid.NewString(), optimization.String()} {
		_, err := r.ReadCheck(t.Context(), r.Caller, id)
		require.Equal(t, fault.NotFound, fault.CodeOf(err), id)
	}
	_, err := r.ReadCheck(t.Context(), foreign, check.String())
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	_, err = r.ReadOptimization(t.Context(), foreign, optimization.String())
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	_, err = r.ReadOptimization(t.Context(), r.Caller, check.String())
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

// refuse is an engine that has taken the file on and then says no.
func refuse(code fault.Code) func(context.Context, engine.ClipRequest) (engine.Report, error) {
	return func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if err := acttest.Admit(ctx, req.Source); err != nil {
			return engine.Report{}, err
		}
		return engine.Report{}, fault.New(code, "The engine says %s.", code)
	}
}

func TestFailuresOfAJobAndHowOftenItIsBegun(t *testing.T) {
	t.Parallel()
	const once, always = 1, 5
	for engineSays, c := range map[fault.Code]struct {
		code  fault.Code
		begun int
	}{
		fault.VideoTooLong:      {fault.VideoTooLong, once},
		fault.VideoUnsupported:  {fault.VideoUnsupported, once},
		fault.AudioTooLong:      {fault.AudioTooLong, once},
		fault.AudioUnsupported:  {fault.AudioUnsupported, once},
		fault.Stage1Failed:      {fault.Stage1Failed, once},
		fault.UnsupportedMedia:  {fault.VideoUnsupported, once},
		fault.InvalidImage:      {fault.VideoUnsupported, once},
		fault.EngineUnavailable: {fault.EngineError, always},
		fault.EngineError:       {fault.EngineError, always},
		fault.InternalError:     {fault.JobFailed, always},
	} {
		t.Run(string(engineSays), func(t *testing.T) {
			t.Parallel()
			r := acttest.Setup(t)
			r.Engine.Clip = refuse(engineSays)
			id := r.Check(0)
			r.Drive(id)
			check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
			require.NoError(t, err)
			require.Equal(t, media.Failed, check.Status)
			require.Equal(t, c.code, check.Error.Code)
			require.NotEmpty(t, check.Error.Message)
			require.Equal(t, c.begun, r.Engine.Begun())
			r.Sound(0)
			require.Empty(t, r.Blobs())
		})
	}
}

func TestTroubleThatHitsEveryJobFailsNoneBeforeItsTime(t *testing.T) {
	t.Parallel()
	for trouble, code := range map[fault.Code]fault.Code{
		fault.ModelUnavailable: fault.ModelUnavailable, fault.EngineCredentialsMissing: fault.EngineError,
	} {
		r := acttest.Setup(t, func(c *media.Config) { c.JobTime = 2 * time.Second })
		r.Engine.Clip = refuse(trouble)
		id := r.Check(0)
		r.Drive(id)
		check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
		require.NoError(t, err)
		require.Equal(t, code, check.Error.Code)
		require.Greater(t, r.Engine.Begun(), 5)
		r.Sound(0)
	}
}

func TestStorageThatComesBackLetsTheJobSucceed(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Check(0)
	down := r.Down()
	var done sync.WaitGroup
	done.Go(func() { _, _ = r.Work(t.Context(), id) })
	require.Eventually(t, func() bool { return down.Refused() > 6 }, 30*time.Second, 10*time.Millisecond)
	down.Up()
	done.Wait()
	require.Equal(t, 1, r.Engine.Begun())
	r.Sound(3)
}

func TestJobThatWaitedForTheEngineHasItsWholeTime(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.JobTime = 2 * time.Second })
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if r.Engine.Begun() == 1 {
			<-time.After(1500 * time.Millisecond)
			return engine.Report{}, fault.New(fault.EngineUnavailable, "The engine is full.")
		}
		if err := acttest.Admit(ctx, req.Source); err != nil {
			return engine.Report{}, err
		}
		select {
		case <-ctx.Done():
			return engine.Report{}, ctx.Err()
		case <-time.After(time.Second):
		}
		return acttest.OfVideo(1)(ctx, engine.ClipRequest{Source: engine.Source{Body: strings.NewReader("")}})
	}
	id := r.Check(0)
	r.Drive(id)
	r.Sound(1)
}

func TestTimeOfAJobBeginsOnce(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.JobTime = 2 * time.Second })
	r.Engine.Clip = refuse(fault.ModelUnavailable) // after it has taken the file on
	id := r.Check(0)
	began := time.Now()
	r.Drive(id)
	require.Less(t, time.Since(began), 20*time.Second)
	check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, media.Failed, check.Status)
	r.Sound(0)
}

func TestEndOfAJobSurvivesADeadlock(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Optimize("https://hooks.example.com/done")
	_, err := r.DB.Exec(t.Context(), `
		CREATE SEQUENCE tries;
		CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
		  IF nextval('tries') <= 2 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
		  RETURN NEW;
		END $$;
		CREATE TRIGGER stumble BEFORE UPDATE ON job FOR EACH ROW WHEN (NEW.status = 'succeeded' AND OLD.status = 'running')
		  EXECUTE FUNCTION stumble()`)
	require.NoError(t, err)
	r.Drive(id)
	require.Equal(t, 1, r.Engine.Begun(), "the work is not done twice")
	r.Sound(2)
}

func TestWordsOfAFileCannotKeepItsReportOutOfTheDatabase(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		report, err := acttest.OfVideo(1)(ctx, req)
		issuer := "x\x00y"
		report.Lanes.Provenance = engine.ProvenanceLane{Verdict: engine.AI, Issuer: &issuer}
		return report, err
	}
	id := r.Check(0)
	r.Drive(id)
	check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, "x\x00y", *check.Report.Lanes.Provenance.Issuer)

	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if err := acttest.Admit(ctx, req.Source); err != nil {
			return engine.Report{}, err
		}
		return engine.Report{}, fault.New(fault.VideoUnsupported, "The codec \x00 is not read here.")
	}
	id = r.Check(0)
	r.Drive(id)
	r.Sound(1)
}

func TestCallerWhoHangsUpLosesNoUpload(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	src, err := media.FromUpload(engine.Image, r.Upload("image/png", mediatest.PNG(t, 8, 8)))
	require.NoError(t, err)
	ctx, hangUp := context.WithCancel(t.Context())
	_, err = r.StartOptimize(ctx, r.Caller, src, "", func(ctx context.Context, _ pgx.Tx, _ uuid.UUID) error {
		hangUp()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	id, err := r.StartOptimize(t.Context(), r.Caller, src, "", nil)
	require.NoError(t, err)
	r.Drive(id)
	r.Sound(2)
}

func TestEngineThatComesBackLetsTheJobSucceed(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if r.Engine.Begun() < 4 {
			return refuse(fault.EngineUnavailable)(ctx, req)
		}
		return acttest.OfVideo(3)(ctx, req)
	}
	id := r.Check(0)
	r.Drive(id)
	check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, media.Succeeded, check.Status)
	r.Sound(1)
}

func TestFullEngineCostsNoAttempt(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if r.Engine.Begun() <= 12 {
			return engine.Report{}, fault.New(fault.EngineUnavailable, "The engine is full.")
		}
		return acttest.OfVideo(3)(ctx, req)
	}
	id := r.Check(0)
	r.Drive(id)
	r.Sound(1)
}

func TestJobOverItsTimeFails(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.JobTime = time.Second })
	r.Engine.Clip = func(ctx context.Context, _ engine.ClipRequest) (engine.Report, error) {
		<-ctx.Done()
		return engine.Report{}, fmt.Errorf("ask the engine: %w", ctx.Err())
	}
	id := r.Check(0)
	r.Drive(id)
	check, err := r.ReadCheck(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Equal(t, fault.JobTimeout, check.Error.Code)
	r.Sound(0)
}

func TestWorkerToldToStopGivesTheJobBack(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	stopping, stop := context.WithCancel(t.Context())
	r.Engine.Clip = func(ctx context.Context, _ engine.ClipRequest) (engine.Report, error) {
		stop()
		<-ctx.Done()
		return engine.Report{}, ctx.Err()
	}
	id := r.Check(0)
	_, err := r.Work(stopping, id)
	require.NoError(t, err)
	r.Engine.Clip = acttest.OfVideo(1)
	again, err := r.Open(r.Queue).Work(t.Context(), id)
	require.NoError(t, err)
	require.Zero(t, again, "another worker need not wait for a lease")
	var attempt int
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT attempt FROM job WHERE id = $1`, id).Scan(&attempt))
	require.Equal(t, 1, attempt)
	r.Sound(1)
}

func TestOneOfManyWorkersDoesTheJobOnce(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.Paint = func(ctx context.Context, req engine.RenderRequest) (engine.Rendered, error) {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
		return acttest.RendersPNG(ctx, req)
	}
	id := r.Optimize("https://hooks.example.com/done")
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() { _, _ = r.Open(r.Queue).Work(t.Context(), id) })
	}
	done.Wait()
	require.Equal(t, 1, r.Engine.Begun())
	r.Sound(2)
	require.Len(t, r.Blobs(), 1)
}

func TestLostWorkerCannotEndAJobThatAnotherHas(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	release, inWork := make(chan struct{}), make(chan struct{}, 2)
	r.Engine.Paint = func(ctx context.Context, req engine.RenderRequest) (engine.Rendered, error) {
		inWork <- struct{}{}
		<-release
		return acttest.RendersPNG(context.WithoutCancel(ctx), req)
	}
	id := r.Optimize("https://hooks.example.com/done")
	var done sync.WaitGroup
	done.Go(func() { _, _ = r.Work(t.Context(), id) })
	<-inWork
	// As if the first worker had been cut off from the database for longer than its lease.
	_, err := r.DB.Exec(t.Context(), `UPDATE job SET lease_until = now() WHERE id = $1`, id)
	require.NoError(t, err)
	done.Go(func() { _, _ = r.Open(r.Queue).Work(t.Context(), id) })
	<-inWork
	close(release)
	done.Wait()
	require.Equal(t, 2, r.Engine.Begun())
	r.Sound(2)
	require.Len(t, r.Blobs(), 1, "the loser's output is removed")
	var deliveries int
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT count(*) FROM delivery`).Scan(&deliveries))
	require.Equal(t, 1, deliveries)
}

func TestJobThatKillsItsWorkersIsGivenUp(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Optimize("https://hooks.example.com/done")
	// Five workers began it and were never heard of again.
	_, err := r.DB.Exec(t.Context(), `
		UPDATE job SET status = 'running', attempt = 5, run = gen_random_uuid(), started_at = now(), lease_until = now() - interval '1 s'
		WHERE id = $1`, id)
	require.NoError(t, err)
	lost, err := r.FindLost(t.Context())
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.Equal(t, media.OptimizeJob{Job: id, Begun: true}, lost[0])
	r.Drive(id)
	body, err := r.ReadOptimization(t.Context(), r.Caller, id.String())
	require.NoError(t, err)
	require.Contains(t, string(body), `"error":{"code":"job_failed"`)
	require.Zero(t, r.Engine.Begun())
	r.Sound(0)
	require.Equal(t, 2, r.Queue.Len(), "failures are told too")
}

func TestLeaseIsKeptAndProgressNotedWhileWorkGoesOn(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	r.Engine.Clip = func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		req.Progress(0.25)
		select {
		case <-ctx.Done():
			return engine.Report{}, ctx.Err()
		case <-time.After(2500 * time.Millisecond): // over two leases
		}
		return acttest.OfVideo(5)(ctx, req)
	}
	id := r.Check(0)
	var done sync.WaitGroup
	done.Go(func() { _, _ = r.Work(t.Context(), id) })
	require.Eventually(t, func() bool {
		var progress float64
		err := r.DB.QueryRow(t.Context(), `SELECT progress FROM job WHERE id = $1`, id).Scan(&progress)
		return err == nil && progress == 0.25
	}, 10*time.Second, 20*time.Millisecond)
	lost, err := r.FindLost(t.Context())
	require.NoError(t, err)
	require.Empty(t, lost)
	done.Wait()
	require.Equal(t, 1, r.Engine.Begun())
	r.Sound(1)
}

func TestJobsAtOnceAndCreditsAreHeldToTheUnit(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	ids := []uuid.UUID{r.Check(5), r.Optimize(""), r.Check(180)}
	require.Equal(t, int64(1+2+36), r.Balance().Held)
	src, err := media.FromUpload(engine.Video, r.Upload("video/mp4", mediatest.MP4Head()))
	require.NoError(t, err)
	_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
	require.Equal(t, fault.TooManyJobs, fault.CodeOf(err))
	require.Positive(t, fault.From(err).RetryAfter)

	r.Engine.Clip = acttest.OfVideo(1)
	for _, id := range ids {
		r.Drive(id)
	}
	r.Sound(1 + 2 + 1)
	_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
	require.NoError(t, err, "the refused upload is still usable, and a slot is free")
}

func TestRefusedForCreditsTakesNothing(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	require.NoError(t, quota.SetGrant(t.Context(), r.DB, r.Caller.Account, 35))
	src, err := media.FromUpload(engine.Video, r.Upload("video/mp4", mediatest.MP4Head()))
	require.NoError(t, err)
	_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
	f := fault.From(err)
	require.Equal(t, fault.QuotaExceeded, f.Code)
	detail, ok := f.Detail.(quota.Exceeded)
	require.True(t, ok)
	require.Equal(t, []int64{36, 35}, []int64{detail.Required, detail.Available})
	require.Zero(t, r.Queue.Len())
	promised, err := src.WithSeconds(175)
	require.NoError(t, err)
	id, err := r.StartCheck(t.Context(), r.Caller, promised, nil)
	require.NoError(t, err)
	r.Drive(id)
	r.Sound(3)
}

func TestUploadIsUsedByTheJobThatTakesIt(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	upload := r.Upload("video/mp4", mediatest.MP4Head())
	src, err := media.FromUpload(engine.Video, upload)
	require.NoError(t, err)
	id, err := r.StartCheck(t.Context(), r.Caller, src, nil)
	require.NoError(t, err)
	_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
	require.Equal(t, fault.UploadNotFound, fault.CodeOf(err))

	// The sweep keeps off a file that a job waits for, also once its ticket has run out.
	_, err = r.DB.Exec(t.Context(), `UPDATE upload SET expires_at = now() - interval '1 day'`)
	require.NoError(t, err)
	_, err = r.SweepUploads(t.Context())
	require.NoError(t, err)
	r.Drive(id)
	r.Sound(3)
}

func TestFilesOfTheWrongKindAreRefusedInTheCall(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	for name, c := range map[string]struct {
		media engine.Media
		typ   string
		data  []byte
	}{
		"an image as a video":      {engine.Video, "video/mp4", mediatest.PNG(t, 8, 8)},
		"a voice clip as a video":  {engine.Video, "video/mp4", mediatest.WAV(0.1)},
		"a film as a voice clip":   {engine.Audio, "audio/mpeg", mediatest.MOVHead()},
		"a text as a video":        {engine.Video, "video/mp4", []byte("#EXTM3U\nhttp://127.0.0.1/x")},
		"an archive as a clip":     {engine.Audio, "audio/mpeg", []byte("PK\x03\x04 nothing")},
		"a WebM as a voice clip":   {engine.Audio, "audio/mpeg", mediatest.WebMHead()},
		"an image as a voice clip": {engine.Audio, "audio/mpeg", mediatest.PNG(t, 8, 8)},
	} {
		src, err := media.FromUpload(c.media, r.Upload(c.typ, c.data))
		require.NoError(t, err)
		_, err = r.StartCheck(t.Context(), r.Caller, src, nil)
		require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err), name)
	}
	require.Zero(t, r.Queue.Len())
	r.Sound(0)
}

func TestImageThatTheEngineRefusesUsesItsUploadUp(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	for code, usable := range map[fault.Code]bool{
		fault.TooManyPixels: false, fault.UnsupportedMedia: false, fault.EngineUnavailable: true, fault.ModelUnavailable: true,
	} {
		r.Engine.Accept = func([]byte) error { return fault.New(code, "No.") }
		src, err := media.FromUpload(engine.Image, r.Upload("image/png", mediatest.PNG(t, 8, 8)))
		require.NoError(t, err)
		_, err = r.StartOptimize(t.Context(), r.Caller, src, "", nil)
		require.Equal(t, code, fault.CodeOf(err))
		r.Engine.Accept = nil
		id, err := r.StartOptimize(t.Context(), r.Caller, src, "", nil)
		if usable {
			require.NoError(t, err, code)
			r.Drive(id)
			continue
		}
		require.Equal(t, fault.UploadNotFound, fault.CodeOf(err), code)
	}
	r.Sound(4)
}

func TestOptimizationThatCannotBeRecordedIsNotCharged(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	_, err := r.DB.Exec(t.Context(), `ALTER TABLE job ADD CONSTRAINT refuse CHECK (false) NOT VALID`)
	require.NoError(t, err)
	src, err := media.FromUpload(engine.Image, r.Upload("image/png", mediatest.PNG(t, 8, 8)))
	require.NoError(t, err)
	_, err = r.StartOptimize(t.Context(), r.Caller, src, "", nil)
	require.Equal(t, fault.TrackingFailed, fault.CodeOf(err))
	_, err = r.DB.Exec(t.Context(), `ALTER TABLE job DROP CONSTRAINT refuse`)
	require.NoError(t, err)
	r.Sound(0)
	_, err = r.StartOptimize(t.Context(), r.Caller, src, "", nil)
	require.Equal(t, fault.UploadNotFound, fault.CodeOf(err), "the file must be uploaded again")
}

func TestPausedOptimizingLeavesUploadsUsable(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.Optimize = false })
	upload := r.Upload("image/png", mediatest.PNG(t, 8, 8))
	src, err := media.FromUpload(engine.Image, upload)
	require.NoError(t, err)
	_, err = r.StartOptimize(t.Context(), r.Caller, src, "", nil)
	require.Equal(t, fault.OptimizationsDisabled, fault.CodeOf(err))
	require.Equal(t, 300*time.Second, fault.From(err).RetryAfter)
	r.Config.Optimize = true
	id, err := r.Open(r.Queue).StartOptimize(t.Context(), r.Caller, src, "", nil)
	require.NoError(t, err)
	r.Drive(id)
	r.Sound(2)
}

var errSaved = errors.New("the answer could not be kept")

func TestAnswerAndJobAreKeptOrLostTogether(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	src, err := media.FromUpload(engine.Video, r.Upload("video/mp4", mediatest.MP4Head()))
	require.NoError(t, err)
	_, err = r.StartCheck(t.Context(), r.Caller, src, func(context.Context, pgx.Tx, uuid.UUID) error { return errSaved })
	require.ErrorIs(t, err, errSaved)
	r.Sound(0)
	var saved uuid.UUID
	id, err := r.StartCheck(t.Context(), r.Caller, src, func(_ context.Context, _ pgx.Tx, id uuid.UUID) error { saved = id; return nil })
	require.NoError(t, err)
	require.Equal(t, id, saved)
}

func TestCallbacksAreCheckedInTheCall(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(t, err)
	for callback, code := range map[string]fault.Code{
		"http://example.com/x":          fault.InvalidURL,
		"https://example.com:8443/x":    fault.InvalidURL,
		"https://me:pw@example.com/x":   fault.InvalidURL,
		"https://10.1.2.3/x":            fault.InvalidURL,
		"https://localhost.localdomain": fault.InvalidCallback,
	} {
		_, err := r.StartOptimize(t.Context(), r.Caller, src, callback, nil)
		require.Equal(t, code, fault.CodeOf(err), callback)
	}
	r.Sound(0)
}
