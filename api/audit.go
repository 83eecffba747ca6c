package api

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/media"
	"veracity/platform/fault"
)

// CheckResult is the contract's "Check result". `veracity check --json` prints the same.
type CheckResult struct {
	Verdict   engine.Verdict   `json:"verdict"`
	Score     *int             `json:"score"`
	DecidedBy engine.DecidedBy `json:"decided_by"`
	Lanes     engine.Lanes     `json:"lanes"`
	Media     engine.Media     `json:"media"`
	Detail    *engine.Detail   `json:"detail,omitempty"`
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
		return answer{}, a.media.StartCheck(ctx, req.caller, src)
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
	return answerTo(report), nil
}

// ResultOf is a report as the API answers it; full adds the engine's own detail.
func ResultOf(report engine.Report, full bool) CheckResult {
	r := CheckResult{
		Verdict: report.Verdict, Score: report.Score, DecidedBy: report.DecidedBy, Lanes: report.Lanes, Media: report.Media,
	}
	if full {
		r.Detail = &report.Detail
	}
	return r
}

// readCheck is GET /audit/{id}. No check of this version is a job, so every id is unknown.
func (a *API) readCheck(http.ResponseWriter, *http.Request) error {
	return fault.New(fault.NotFound, "The account has no such check, or it has expired.")
}
