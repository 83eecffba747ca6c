package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cleanRun is a run in which every job ended once and was charged once.
func cleanRun() *jobRun {
	j := &jobRun{told: shortJobs, spent: shortJobs / 2 * (voicePrice + iconPrice)}
	j.rows, j.succeeded, j.charges = shortJobs, shortJobs, shortJobs
	return j
}

func TestCleanRunBreaksNothing(t *testing.T) {
	t.Parallel()
	require.Empty(t, cleanRun().broken())
}

func TestEachBreachIsFound(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*jobRun){
		"lost":         func(j *jobRun) { j.rows-- },
		"doubled":      func(j *jobRun) { j.charges++ },
		"failed":       func(j *jobRun) { j.succeeded-- },
		"told wrong":   func(j *jobRun) { j.told-- },
		"given back":   func(j *jobRun) { j.returns++ },
		"uncharged":    func(j *jobRun) { j.spent-- },
		"held":         func(j *jobRun) { j.held++ },
		"unreconciled": func(j *jobRun) { j.unreconciled = errors.New("a stray") },
	} {
		j := cleanRun()
		spoil(j)
		require.Len(t, j.broken(), 1, name)
	}
}

func TestRateRunsFromTheFirstStartToTheLastEnd(t *testing.T) {
	t.Parallel()
	e := ends{rows: 100, first: time.Unix(10, 0), last: time.Unix(14, 0)}
	require.InDelta(t, 25, e.rate(), 0)
}
