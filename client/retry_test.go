package client

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTableOfWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	picture, upload := ImageURL("https://example.com/a.jpg"), FromUpload(MediaImage, "0193a5c1-7d2e-7c40-9f3a-2b6c1d8e4f50")
	type answer = func(*http.Request) (*http.Response, error)
	brokenOff := func(r *http.Request) (*http.Response, error) {
		resp, err := answers(200, "")(r)
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(checked[:20]), iotest.ErrReader(io.ErrUnexpectedEOF)))
		return resp, err
	}
	for name, row := range map[string]struct {
		first answer
		src   Source
		// least and most bound the wait before the second attempt; both 0 expect none.
		least, most time.Duration
	}{
		"no answer":                    {breaks(errReset), picture, 500 * time.Millisecond, time.Second},
		"no answer to an upload":       {breaks(errReset), upload, 500 * time.Millisecond, time.Second},
		"an answer that broke off":     {brokenOff, picture, 500 * time.Millisecond, time.Second},
		"rate_limited":                 {refuses(429, CodeRateLimited, 7), picture, 7 * time.Second, 8400 * time.Millisecond},
		"too_many_jobs":                {refuses(429, CodeTooManyJobs, 1), picture, time.Second, 1250 * time.Millisecond},
		"a code of tomorrow":           {refuses(429, "out_of_breath", 1), picture, time.Second, 1250 * time.Millisecond},
		"engine_unavailable":           {refuses(503, CodeEngineUnavailable, 2), upload, 2 * time.Second, 2400 * time.Millisecond},
		"uploads_unavailable":          {refuses(503, CodeUploadsUnavailable, 0), picture, 500 * time.Millisecond, time.Second},
		"tracking_failed":              {refuses(503, CodeTrackingFailed, 0), picture, 500 * time.Millisecond, time.Second},
		"tracking_failed, an upload":   {refuses(503, CodeTrackingFailed, 0), upload, 0, 0},
		"internal_error":               {refuses(500, CodeInternalError, 0), picture, 500 * time.Millisecond, time.Second},
		"internal_error, an upload":    {refuses(500, CodeInternalError, 0), upload, 0, 0},
		"engine_error":                 {refuses(500, CodeEngineError, 0), picture, 500 * time.Millisecond, time.Second},
		"engine_error, an upload":      {refuses(500, CodeEngineError, 0), upload, 0, 0},
		"502 of a proxy":               {answers(502, "<html>Bad gateway</html>"), upload, 500 * time.Millisecond, time.Second},
		"504 of a proxy":               {answers(504, ""), picture, 500 * time.Millisecond, time.Second},
		"model_unavailable":            {refuses(503, CodeModelUnavailable, 0), picture, 0, 0},
		"engine_credentials_missing":   {refuses(503, CodeEngineCredentialsMissing, 0), picture, 0, 0},
		"engine_region_missing":        {refuses(503, CodeEngineRegionMissing, 0), picture, 0, 0},
		"another body under the key":   {refuses(409, CodeIdempotencyConflict, 0), picture, 0, 0},
		"invalid_key":                  {refuses(401, CodeInvalidKey, 0), picture, 0, 0},
		"quota_exceeded":               {refuses(402, CodeQuotaExceeded, 0), picture, 0, 0},
		"image_unreachable":            {refuses(400, CodeImageUnreachable, 0), picture, 0, 0},
		"upload_not_found":             {refuses(404, CodeUploadNotFound, 0), upload, 0, 0},
		"unsupported_media":            {refuses(415, CodeUnsupportedMedia, 0), picture, 0, 0},
		"an unknown name":              {breaks(&net.DNSError{Name: "veracity.test", IsNotFound: true}), picture, 0, 0},
		"a name that is not found now": {breaks(&net.DNSError{Name: "veracity.test", IsTimeout: true}), picture, 500 * time.Millisecond, time.Second},
		"http where https is asked":    {breaks(http.ErrSchemeMismatch), picture, 0, 0},
		"a strange certificate":        {breaks(x509.UnknownAuthorityError{}), picture, 0, 0},
		"an answer that is no JSON":    {answers(200, "<html>"), picture, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := answering(row.first, answers(200, checked))
				var told []Notice
				begun := time.Now()
				check, err := through(t, s, WithNotice(func(n Notice) { told = append(told, n) })).Check(t.Context(), row.src, nil)
				waited := time.Since(begun)
				if row.most == 0 {
					require.Error(t, err)
					require.Len(t, s.got, 1)
					require.Zero(t, waited)
					return
				}
				require.NoError(t, err)
				require.Equal(t, VerdictAI, check.Verdict)
				require.Len(t, s.got, 2)
				require.GreaterOrEqual(t, waited, row.least)
				require.LessOrEqual(t, waited, row.most)
				require.Len(t, told, 1)
				require.Equal(t, "POST /api/v1/audit", told[0].Call)
				require.Equal(t, waited, told[0].Wait)
				require.Error(t, told[0].Err)
				require.NotEmpty(t, s.got[0].Header.Get("Idempotency-Key"))
				require.Equal(t, s.got[0].Header.Get("Idempotency-Key"), s.got[1].Header.Get("Idempotency-Key"))
				require.Equal(t, s.got[0].body, s.got[1].body)
			})
		})
	}
}

func TestEachActHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	s := answering(answers(200, checked))
	c := through(t, s)
	for range 2 {
		_, err := c.Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
		require.NoError(t, err)
	}
	require.NotEqual(t, s.got[0].Header.Get("Idempotency-Key"), s.got[1].Header.Get("Idempotency-Key"))
	_, err := c.Check(t.Context(), ImageURL("https://example.com/a.jpg"), &CheckOptions{IdempotencyKey: "mine"})
	require.NoError(t, err)
	require.Equal(t, "mine", s.got[2].Header.Get("Idempotency-Key"))
}

func TestFirstAttemptStillUnderWayIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := answering(breaks(errReset), refuses(409, CodeIdempotencyConflict, 0), answers(200, checked))
		_, err := through(t, s).Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
		require.NoError(t, err)
		require.Len(t, s.got, 3)
	})
}

func TestWaitsDoubleUntilTheAttemptsAreUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		s := answering(breaks(errReset))
		c := through(t, s, WithRetry(Retry{Attempts: 5, Longest: 3 * time.Second}), WithNotice(func(n Notice) { waits = append(waits, n.Wait) }))
		_, err := c.Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
		require.ErrorIs(t, err, errReset)
		require.ErrorContains(t, err, "gave up after 5 attempts")
		require.Len(t, s.got, 5)
		for i, most := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
			require.LessOrEqual(t, waits[i], most)
			require.GreaterOrEqual(t, waits[i], most/2)
		}
	})
}

func TestWaitsThatTheServiceAsksForAreBoundedByTimeAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := answering(refuses(429, CodeTooManyJobs, 5))
		begun := time.Now()
		_, err := through(t, s, WithRetry(Retry{Attempts: 2, Elapsed: time.Minute})).Check(t.Context(), VideoURL("https://example.com/a.mp4"), nil)
		require.Equal(t, CodeTooManyJobs, CodeOf(err))
		require.Greater(t, len(s.got), 8)
		require.LessOrEqual(t, time.Since(begun), time.Minute)
	})
}

func TestWaitThatDoesNotFitIsReturnedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		s := answering(refuses(503, CodeOptimizationsDisabled, 300))
		_, err := through(t, s).Optimize(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
		var refused *Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 5*time.Minute, refused.RetryAfter)
		require.Len(t, s.got, 1)
		require.Zero(t, time.Since(begun), "over what Elapsed allows")

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		s = answering(refuses(429, CodeRateLimited, 20))
		_, err = through(t, s).Check(ctx, ImageURL("https://example.com/a.jpg"), nil)
		require.Equal(t, CodeRateLimited, CodeOf(err))
		require.Zero(t, time.Since(begun), "over the caller's deadline")
	})
}

func TestTimeOfALongFirstAttemptIsNotHeldAgainstTheSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(r *http.Request) (*http.Response, error) {
			return nil, errors.Join(sleep(r.Context(), 5*time.Minute), errReset)
		}
		s := answering(slow, answers(202, `{"id":"ab","status":"queued","media":"video"}`))
		job, err := through(t, s).StartCheck(t.Context(), VideoURL("https://example.com/a.mp4"), nil)
		require.NoError(t, err)
		require.Equal(t, "ab", job.ID)
	})
}

func TestAttemptThatHangsIsCutOffAndMadeAgain(t *testing.T) {
	t.Parallel()
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	}
	synctest.Test(t, func(t *testing.T) {
		s := answering(hang, answers(200, checked))
		begun := time.Now()
		_, err := through(t, s).Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
		require.NoError(t, err)
		require.InDelta(t, callTime, time.Since(begun), float64(time.Second))

		_, err = through(t, answering(hang), WithAttemptTime(time.Second), WithRetry(Retry{Attempts: 1})).
			GetCheck(t.Context(), "ab", nil)
		require.ErrorContains(t, err, "GET /api/v1/audit/ab: no answer within 1s")
	})
}

func TestEndOfTheContextEndsWaitsAndAttempts(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*http.Request) (*http.Response, error){
		"a wait": breaks(errReset),
		"an attempt": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(300*time.Millisecond, cancel)
				s := answering(first)
				begun := time.Now()
				_, err := through(t, s).Check(ctx, ImageURL("https://example.com/a.jpg"), nil)
				require.ErrorIs(t, err, context.Canceled)
				require.Len(t, s.got, 1)
				require.Equal(t, 300*time.Millisecond, time.Since(begun))
			})
		})
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"17":                            17 * time.Second,
		"-5":                            0,
		"soon":                          0,
		"99999999999":                   24 * time.Hour,
		"Sun, 01 Mar 2026 12:01:30 GMT": 90 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0,
		"Sun, 01 Mar 2099 12:00:00 GMT": 24 * time.Hour,
	} {
		require.Equal(t, want, retryAfter(value, now), value)
	}
}

func TestCauseOfAFailureIsFound(t *testing.T) {
	t.Parallel()
	s := answering(breaks(errReset))
	_, err := through(t, s, WithRetry(Retry{Attempts: 1})).Check(t.Context(), ImageURL("https://example.com/a.jpg"), nil)
	require.ErrorIs(t, err, errReset)
	require.NotContains(t, err.Error(), "gave up")
	require.Empty(t, CodeOf(err))
	require.False(t, errors.As(err, new(*Error)))
}
