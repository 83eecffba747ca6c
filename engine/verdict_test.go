package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
)

// policy lists every combination of lane verdicts. Columns: provenance, watermark, pixels → verdict decided_by score.
// `strong` and `ai` are pixels verdicts of ai with scores 95 and 85, `real` is 5, `uncertain` 60; a watermark of ai has
// 99, an uncertain one 70. A star stands for every verdict of its lane that the rows above it do not name.
const policy = `
real        ai          *           uncertain   conflict    50
real        *           strong      uncertain   conflict    50
real        *           *           real        provenance  2
*           ai          *           ai          watermark   99
ai          *           *           ai          provenance  98
*           *           strong      ai          pixels      95
*           *           ai          ai          pixels      85
*           *           real        real        pixels      5
uncertain   uncertain   uncertain   uncertain   weighed     87
uncertain   uncertain   *           uncertain   weighed     81
uncertain   *           uncertain   uncertain   weighed     74
uncertain   *           *           uncertain   weighed     65
*           uncertain   uncertain   uncertain   weighed     78
*           uncertain   *           uncertain   weighed     70
*           *           uncertain   uncertain   weighed     60
*           *           none        uncertain   weighed     50
*           *           unavailable unavailable weighed     null
`

func TestPolicyDecidesEveryCombination(t *testing.T) {
	t.Parallel()
	rows := strings.Split(strings.TrimSpace(policy), "\n")
	seen := map[string]bool{}
	for _, provenance := range []string{"ai", "real", "uncertain", "none", "unavailable"} {
		for _, watermark := range []string{"ai", "uncertain", "none", "unavailable"} {
			for _, pixels := range []string{"strong", "ai", "real", "uncertain", "none", "unavailable"} {
				row := find(t, rows, provenance, watermark, pixels)
				seen[row] = true
				want := strings.Fields(row)[3:]
				verdict, score, by := engine.Decide(lanes(provenance, watermark, pixels))
				got := []string{string(verdict), string(by), "null"}
				if score != nil {
					got[2] = fmt.Sprint(*score)
				}
				require.Equal(t, want, got, "provenance %s, watermark %s, pixels %s", provenance, watermark, pixels)
			}
		}
	}
	require.Len(t, seen, len(rows), "every row of the policy is met by some combination")
}

func find(t *testing.T, rows []string, lanes ...string) string {
	t.Helper()
	for _, row := range rows {
		matches := true
		for i, cell := range strings.Fields(row)[:3] {
			matches = matches && (cell == "*" || cell == lanes[i])
		}
		if matches {
			return row
		}
	}
	require.Fail(t, "no row", "%v", lanes)
	return ""
}

func lanes(provenance, watermark, pixels string) engine.Lanes {
	l := engine.Lanes{
		Provenance: engine.ProvenanceLane{Verdict: engine.Verdict(provenance)},
		Watermark:  engine.Lane{Verdict: engine.Verdict(watermark), Score: 50},
		Pixels:     engine.Lane{Verdict: engine.Verdict(pixels), Score: 50},
	}
	switch watermark {
	case "ai":
		l.Watermark.Score = 99
	case "uncertain":
		l.Watermark.Score = 70
	}
	switch pixels {
	case "strong":
		l.Pixels = engine.Lane{Verdict: engine.AI, Score: 95}
	case "ai":
		l.Pixels.Score = 85
	case "real":
		l.Pixels.Score = 5
	case "uncertain":
		l.Pixels.Score = 60
	}
	return l
}

func TestWeakLanesTogetherCanDecide(t *testing.T) {
	t.Parallel()
	l := lanes("uncertain", "uncertain", "uncertain")
	l.Watermark.Score, l.Pixels.Score = 85, 80
	verdict, score, by := engine.Decide(l)
	require.Equal(t, engine.AI, verdict)
	require.Equal(t, engine.ByWeighed, by)
	require.GreaterOrEqual(t, *score, 95)

	l = lanes("none", "uncertain", "uncertain")
	l.Watermark.Score, l.Pixels.Score = 10, 12
	verdict, score, _ = engine.Decide(l)
	require.Equal(t, engine.Real, verdict)
	require.LessOrEqual(t, *score, 5)

	// One weak lane never decides, however sure it sounds.
	l = lanes("none", "none", "uncertain")
	l.Pixels.Score = 99
	verdict, _, _ = engine.Decide(l)
	require.Equal(t, engine.Uncertain, verdict)
}
