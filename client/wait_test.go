package client

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func stands(status Status, headers ...string) func(*http.Request) (*http.Response, error) {
	return answers(200, `{"id":"ab","status":"`+string(status)+`","media":"video"}`, headers...)
}

// pauses are the times between the requests of a script.
func pauses(t *testing.T, answers []func(*http.Request) (*http.Response, error), act func(*Client)) []time.Duration {
	t.Helper()
	var at []time.Time
	for i, answer := range answers {
		answers[i] = func(r *http.Request) (*http.Response, error) {
			at = append(at, time.Now())
			return answer(r)
		}
	}
	act(through(t, answering(answers...)))
	var between []time.Duration
	for i := 1; i < len(at); i++ {
		between = append(between, at[i].Sub(at[i-1]))
	}
	return between
}

func TestReadingsGrowApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := []func(*http.Request) (*http.Response, error){answers(202, `{"id":"ab","status":"queued","media":"video"}`)}
		for range 9 {
			script = append(script, stands(Running))
		}
		script = append(script, answers(200, checked[:len(checked)-len(`"media":"image"}`)]+`"media":"video","id":"ab","status":"succeeded"}`))
		var seen []Status
		got := pauses(t, script, func(c *Client) {
			check, err := c.Check(t.Context(), VideoURL("https://example.com/a.mp4"), &CheckOptions{
				Wait: WaitOptions{OnRead: func(s Status) { seen = append(seen, s) }},
			})
			require.NoError(t, err)
			require.Equal(t, VerdictAI, check.Verdict)
		})
		require.Equal(t, []time.Duration{
			2 * time.Second, 2 * time.Second, 3 * time.Second, 4500 * time.Millisecond, 6750 * time.Millisecond, 10125 * time.Millisecond,
			15187500 * time.Microsecond, 22781250 * time.Microsecond, 30 * time.Second, 30 * time.Second,
		}, got)
		require.Equal(t, Running, seen[0])
		require.Equal(t, Succeeded, seen[len(seen)-1])
	})
}

func TestReadingsLeaveTheAccountItsRequests(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		policy, now string
		want        time.Duration
	}{
		{`"minute";q=60;w=60`, `"minute";r=59;t=1`, 2 * time.Second},
		{`"minute";q=60;w=60`, `"minute";r=29;t=1`, 4 * time.Second},
		{`"minute";q=7;w=60`, `"minute";r=2;t=9`, 4 * time.Minute / 7},
		{`"minute";q=60;w=60`, `"minute";r=0;t=17`, 21 * time.Second},
		{`"minute";q=0;w=60`, `"minute";r=0;t=17`, 2 * time.Second},
		{`"minute";q=60;w=999999999`, `"minute";r=0;t=17`, 2 * time.Second},
		{`"minute"`, `"minute"`, 2 * time.Second},
		{"", "", 2 * time.Second},
	} {
		t.Run(row.policy+row.now, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				script := []func(*http.Request) (*http.Response, error){
					stands(Running, "RateLimit-Policy", row.policy, "RateLimit", row.now), stands(Succeeded),
				}
				got := pauses(t, script, func(c *Client) {
					_, err := c.WaitCheck(t.Context(), "ab", nil)
					require.NoError(t, err)
				})
				require.Equal(t, []time.Duration{row.want}, got)
			})
		})
	}
}

func TestFailedJobIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()
	failed := answers(200, `{"id":"ab","status":"failed","media":"video","error":{"code":"video_too_long","message":"Too long."}}`)
	c := through(t, answering(failed))
	job, err := c.WaitCheck(t.Context(), "ab", nil)
	var why *JobError
	require.ErrorAs(t, err, &why)
	require.Equal(t, &JobError{Code: CodeVideoTooLong, Message: "Too long.", JobID: "ab"}, why)
	require.Equal(t, CodeVideoTooLong, CodeOf(err))
	require.Equal(t, Failed, job.Status)
	require.EqualError(t, err, "veracity: job ab failed: video_too_long: Too long.")

	optimization, err := c.WaitOptimization(t.Context(), "ab", nil)
	require.ErrorAs(t, err, &why)
	require.Equal(t, Failed, optimization.Status)
	read, err := c.GetCheck(t.Context(), "ab", nil)
	require.NoError(t, err, "reading is no failure")
	require.Equal(t, CodeVideoTooLong, read.Error.Code)
}

func TestWaitingThatEndsFirstNamesTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, act := range []func(context.Context, *Client) error{
			func(ctx context.Context, c *Client) error {
				_, err := c.Check(ctx, VideoURL("https://example.com/a.mp4"), nil)
				return err
			},
			func(ctx context.Context, c *Client) error {
				_, err := c.Optimize(ctx, VideoURL("https://example.com/a.mp4"), nil)
				return err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Second, cancel)
			s := answering(answers(202, `{"id":"ab","status":"queued","media":"video"}`), stands(Running))
			err := act(ctx, through(t, s))
			var unfinished *UnfinishedError
			require.ErrorAs(t, err, &unfinished)
			require.Equal(t, "ab", unfinished.JobID)
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestJobThatIsGoneEndsTheWaiting(t *testing.T) {
	t.Parallel()
	for _, code := range []Code{CodeNotFound, CodeUnknownJob} {
		_, err := through(t, answering(refuses(404, code, 0))).WaitOptimization(t.Context(), "ab", nil)
		require.Equal(t, code, CodeOf(err))
		require.NotErrorAs(t, err, new(*UnfinishedError), fmt.Sprint(code))
	}
}

func TestReadingOverTheRateIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := answering(refuses(429, CodeRateLimited, 9), stands(Succeeded))
		begun := time.Now()
		_, err := through(t, s).WaitCheck(t.Context(), "ab", nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begun), 9*time.Second)
	})
}
