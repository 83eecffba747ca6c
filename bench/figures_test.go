package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuantilesAreMeasuredValues(t *testing.T) {
	t.Parallel()
	var s spread
	for i := 100; i >= 1; i-- {
		s = append(s, time.Duration(i))
	}
	require.Equal(t, time.Duration(1), s.at(0))
	require.Equal(t, time.Duration(50), s.at(0.5))
	require.Equal(t, time.Duration(99), s.at(0.99))
	require.Equal(t, time.Duration(100), s.at(1))
	require.Zero(t, spread{}.at(0.5))
	require.InDelta(t, 2.0, median([]float64{3, 1, 2}), 0)
}

func TestPgbenchIsRead(t *testing.T) {
	t.Parallel()
	n, err := transactionsASecond([]byte("number of failed transactions: 0 (0.000%)\ntps = 15234.5 (without initial connection time)\n"))
	require.NoError(t, err)
	require.InDelta(t, 15234.5, n, 0)
	_, err = transactionsASecond([]byte("pgbench: error: Run was aborted"))
	require.Error(t, err)
}

func TestTableSaysWhichAimsAreMissed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	table := &table{heading: "2 cores"}
	table.add(row{what: "fast", figure: "9/s", ratio: "0.90", aim: "at least 0.25", met: true})
	table.add(row{what: "slow", figure: "1/s", ratio: "0.10", aim: "at least 0.25"})
	table.add(row{what: "ceiling", figure: "99/s"})
	table.note("a note")
	require.NoError(t, table.print(&out))
	require.Regexp(t, `(?m)^fast .*at least 0\.25 +met$`, out.String())
	require.Regexp(t, `(?m)^slow .*at least 0\.25 +MISSED$`, out.String())
	require.Regexp(t, `(?m)^ceiling +99/s *$`, out.String())
	require.Contains(t, out.String(), "a note\n")
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	t.Parallel()
	efforts := []effort{{wall: 3, cpu: 1}, {wall: 8, cpu: 2}}
	took := each(efforts, func(e effort) time.Duration { return e.wall })
	require.Equal(t, spread{3, 8}, took)
	ratios := ratiosOf(took, spread{2, 4})
	require.Equal(t, []float64{1.5, 2}, ratios)
	require.Equal(t, "1.50 and 2.00", between(ratios))
	require.InDelta(t, 1, geometricMean([]float64{0.5, 2}), 1e-12)
}
