package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func bookkeeping(granted, held, spent int) books {
	var b books
	b.Credits.Granted, b.Credits.Held, b.Credits.Spent = granted, held, spent
	return b
}

func TestAnswersOfTheContractAreNoBreach(t *testing.T) {
	t.Parallel()
	seen := tally{}
	for _, o := range []outcome{
		{status: http.StatusOK},
		{status: http.StatusPaymentRequired, Code: "quota_exceeded"},
		{status: http.StatusServiceUnavailable, Code: "engine_unavailable", retryAfter: "2"},
	} {
		seen.count(o)
	}
	require.Empty(t, seen.broken())
	require.Equal(t, 1, seen.succeeded())
}

func TestAnswersBesideTheContractAreBreaches(t *testing.T) {
	t.Parallel()
	for _, o := range []outcome{
		{status: http.StatusInternalServerError, Code: "internal_error"},
		{status: http.StatusServiceUnavailable, Code: "engine_unavailable"},
		{status: http.StatusServiceUnavailable, Code: "uploads_unavailable", retryAfter: "2"},
		{status: http.StatusTooManyRequests, Code: "rate_limited", retryAfter: "2"},
	} {
		seen := tally{}
		seen.count(o)
		require.Len(t, seen.broken(), 1, "%+v", o)
		require.Contains(t, seen.broken()[0], o.Code)
	}
}

func TestBooksMustMatchTheAnswers(t *testing.T) {
	t.Parallel()
	crowd, rest := tally{{status: http.StatusOK}: granted - 10}, tally{{status: http.StatusOK}: 10}
	require.Empty(t, afterStorm(bookkeeping(granted, 0, granted-10), crowd))
	require.Empty(t, afterAll(bookkeeping(granted, 0, granted), crowd, rest))

	require.NotEmpty(t, afterStorm(bookkeeping(granted, 0, granted-11), crowd), "a check was not charged")
	require.NotEmpty(t, afterStorm(bookkeeping(granted, 1, granted-10), crowd), "a hold is left")
	require.NotEmpty(t, afterAll(bookkeeping(granted, 0, granted+1), crowd, rest), "over-spent")
	require.NotEmpty(t, afterAll(bookkeeping(granted, 0, granted-1), crowd, rest), "credits are lost")
	require.NotEmpty(t, afterAll(bookkeeping(granted, 0, granted), crowd, crowd), "more checks than credits")
}
