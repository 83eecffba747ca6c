package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/media"
)

// CheckResult is the contract's "Check result". `veracity check --json` prints the same.
type CheckResult struct {
	Verdict   engine.Verdict    `json:"verdict"`
	Score     *int              `json:"score"`
	DecidedBy engine.DecidedBy  `json:"decided_by"`
	Lanes     engine.Lanes      `json:"lanes"`
	Media     engine.Media      `json:"media"`
	Video     *engine.VideoInfo `json:"video,omitempty"`
	Audio     *engine.AudioInfo `json:"audio,omitempty"`
	Detail    *engine.Detail    `json:"detail,omitempty"`
}

// checkJob is the contract's "Check job".
type checkJob struct {
	ID      uuid.UUID      `json:"id"`
	Status  media.Status   `json:"status"`
	Media   engine.Media   `json:"media"`
	Verdict engine.Verdict `json:"verdict,omitempty"`
	// Score is null where a check that succeeded has none, and absent before.
	Score     json.RawMessage   `json:"score,omitempty"`
	DecidedBy engine.DecidedBy  `json:"decided_by,omitempty"`
	Lanes     *engine.Lanes     `json:"lanes,omitempty"`
	Video     *engine.VideoInfo `json:"video,omitempty"`
	Audio     *engine.AudioInfo `json:"audio,omitempty"`
	Detail    *engine.Detail    `json:"detail,omitempty"`
	Error     *media.JobError   `json:"error,omitempty"`
}

// audit is POST /audit.
func (a *API) audit(ctx context.Context, req request) (answer, error) {
	f, err := parseFields(req.body)
	if err != nil {
		return answer{}, err
	}
	src, err := f.source()
	if err != nil {
		return answer{}, err
	}
	if src.Media != engine.Image {
		return a.startCheck(ctx, req, src)
	}
	answerTo := func(report engine.Report) answer {
		return answer{status: http.StatusOK, body: encode(ResultOf(report, req.query.Get("detail") == "full"))}
	}
	var record media.Record
	if req.record != nil {
		record = func(ctx context.Context, tx pgx.Tx, report engine.Report) error {
			return req.record(ctx, tx, answerTo(report))
		}
	}
	report, err := a.media.CheckImage(ctx, req.caller, src, record)
	if err != nil {
		return answer{}, err
	}
	noteCheck(ctx, report.Verdict, a.media.Quote(media.KindCheck, engine.Image, 0))
	return answerTo(report), nil
}

// ResultOf is a report as the API answers it; full adds the engine's own detail.
func ResultOf(report engine.Report, full bool) CheckResult {
	r := CheckResult{
		Verdict: report.Verdict, Score: report.Score, DecidedBy: report.DecidedBy, Lanes: report.Lanes, Media: report.Media,
		Video: report.Video, Audio: report.Audio,
	}
	if full {
		r.Detail = &report.Detail
	}
	return r
}

// ResultBody is a report as POST /audit answers it.
func ResultBody(report engine.Report) []byte { return encode(ResultOf(report, false)) }

// JobBody is a check of a clip as GET /audit/{id} answers it.
func JobBody(check media.Check) []byte { return encode(jobOf(check, false)) }

// startCheck begins the check of a video or a voice clip.
func (a *API) startCheck(ctx context.Context, req request, src media.Source) (answer, error) {
	answerTo := func(id uuid.UUID) answer {
		return answer{status: http.StatusAccepted, body: encode(checkJob{ID: id, Status: media.Queued, Media: src.Media})}
	}
	id, err := a.media.StartCheck(ctx, req.caller, src, req.recordJob(answerTo))
	if err != nil {
		return answer{}, err
	}
	return answerTo(id), nil
}

// recordJob saves the answer that starts a job in the job's own transaction; nil without an Idempotency-Key.
func (req request) recordJob(answerTo func(uuid.UUID) answer) media.RecordJob {
	if req.record == nil {
		return nil
	}
	return func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error { return req.record(ctx, tx, answerTo(id)) }
}

// readCheck is GET /audit/{id}.
func (a *API) readCheck(w http.ResponseWriter, r *http.Request) error {
	check, err := a.media.ReadCheck(r.Context(), callerOf(r.Context()), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, encode(jobOf(check, r.URL.Query().Get("detail") == "full")))
	return nil
}

func jobOf(check media.Check, full bool) checkJob {
	job := checkJob{ID: check.ID, Status: check.Status, Media: check.Media, Error: check.Error}
	report := check.Report
	if report == nil {
		return job
	}
	job.Verdict, job.DecidedBy, job.Lanes = report.Verdict, report.DecidedBy, &report.Lanes
	job.Score, job.Video, job.Audio = encode(report.Score), report.Video, report.Audio
	if full {
		job.Detail = &report.Detail
	}
	return job
}
