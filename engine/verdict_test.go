package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
)

// policy lists every combination of lane verdicts. Columns: provenance, watermark, pixels → verdict decided_by score.
// `strong` and `ai` are pixels verdicts of ai with scores 95 and 85, `real` is 5; `uncertain` is a doubt of 60, `likely` one
// of 92 and `unlikely` one of 3. A watermark of ai has 99, an uncertain one 70. A star stands for every verdict of its lane
// that the rows above it do not name.
const policy = `
real        ai          *           uncertain   conflict    50
real        *           strong      uncertain   conflict    50
real        *           *           real        provenance  2
*           ai          *           ai          watermark   99
ai          *           *           ai          provenance  98
*           *           strong      ai          pixels      95
*           *           ai          ai          pixels      85
none        none        real        real        pixels      5
none        unavailable real        real        pixels      5
unavailable none        real        real        pixels      5
unavailable unavailable real        real        pixels      5
uncertain   uncertain   likely      ai          weighed     98
uncertain   uncertain   uncertain   uncertain   weighed     87
uncertain   uncertain   unlikely    uncertain   weighed     12
uncertain   uncertain   *           uncertain   weighed     81
uncertain   *           likely      ai          weighed     96
uncertain   *           uncertain   uncertain   weighed     74
uncertain   *           unlikely    uncertain   weighed     5
uncertain   *           *           uncertain   weighed     65
*           uncertain   likely      ai          weighed     96
*           uncertain   uncertain   uncertain   weighed     78
*           uncertain   unlikely    uncertain   weighed     7
*           uncertain   *           uncertain   weighed     70
*           *           likely      uncertain   weighed     92
*           *           uncertain   uncertain   weighed     60
*           *           unlikely    uncertain   weighed     3
*           *           none        uncertain   weighed     50
*           *           unavailable unavailable weighed     null
`

// Verdicts that the lanes can have. A watermark is never `real`: its absence says nothing.
var (
	provenances = []string{"ai", "real", "uncertain", "none", "unavailable"}
	watermarks  = []string{"ai", "uncertain", "none", "unavailable"}
	scored      = []string{"strong", "ai", "real", "uncertain", "likely", "unlikely", "none", "unavailable"}
)

func TestPolicyDecidesEveryCombination(t *testing.T) {
	t.Parallel()
	table := newTable(policy, 3)
	for _, provenance := range provenances {
		for _, watermark := range watermarks {
			for _, pixels := range scored {
				want := table.find(t, provenance, watermark, pixels)
				got := answer(engine.Decide(lanes(provenance, watermark, pixels)))
				require.Equal(t, want, got, "provenance %s, watermark %s, pixels %s", provenance, watermark, pixels)
			}
		}
	}
	table.requireAllMet(t)
}

// answer is a decision in the columns of the tables.
func answer(verdict engine.Verdict, score *int, by engine.DecidedBy) string {
	s := "null"
	if score != nil {
		s = fmt.Sprint(*score)
	}
	return fmt.Sprintf("%s %s %s", verdict, by, s)
}

// table is a policy as rows of lane verdicts, followed by what they lead to.
type table struct {
	rows  [][]string
	lanes int
	met   map[int]bool
}

func newTable(text string, lanes int) table {
	t := table{lanes: lanes, met: map[int]bool{}}
	for row := range strings.Lines(strings.TrimSpace(text)) {
		t.rows = append(t.rows, strings.Fields(row))
	}
	return t
}

func (p table) find(t *testing.T, lanes ...string) string {
	t.Helper()
	for i, row := range p.rows {
		matches := true
		for k, cell := range row[:p.lanes] {
			matches = matches && (cell == "*" || cell == lanes[k])
		}
		if matches {
			p.met[i] = true
			return strings.Join(row[p.lanes:], " ")
		}
	}
	require.Fail(t, "no row", "%v", lanes)
	return ""
}

func (p table) requireAllMet(t *testing.T) {
	t.Helper()
	require.Len(t, p.met, len(p.rows), "every row of the policy is met by some combination")
}

func lanes(provenance, watermark, pixels string) engine.Lanes {
	l := engine.Lanes{
		Provenance: engine.ProvenanceLane{Verdict: engine.Verdict(provenance)},
		Watermark:  engine.Lane{Verdict: engine.Verdict(watermark), Score: 50},
	}
	switch watermark {
	case "ai":
		l.Watermark.Score = 99
	case "uncertain":
		l.Watermark.Score = 70
	}
	l.Pixels = scoredLane(pixels)
	return l
}

// scoredLane is a pixels or voice lane as the tables name it.
func scoredLane(name string) engine.Lane {
	switch name {
	case "strong":
		return engine.Lane{Verdict: engine.AI, Score: 95}
	case "ai":
		return engine.Lane{Verdict: engine.AI, Score: 85}
	case "real":
		return engine.Lane{Verdict: engine.Real, Score: 5}
	case "uncertain":
		return engine.Lane{Verdict: engine.Uncertain, Score: 60}
	case "likely":
		return engine.Lane{Verdict: engine.Uncertain, Score: 92}
	case "unlikely":
		return engine.Lane{Verdict: engine.Uncertain, Score: 3}
	}
	return engine.Lane{Verdict: engine.Verdict(name), Score: 50}
}

func TestTheWeakestDoubtsThatDecideTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provenance       string
		watermark, pixel int
		want             string
	}{
		{"none", 75, 85, "uncertain weighed 94"},
		{"none", 75, 86, "ai weighed 95"},
		{"none", 60, 91, "uncertain weighed 94"},
		{"none", 60, 92, "ai weighed 95"},
		{"uncertain", 50, 90, "uncertain weighed 94"},
		{"uncertain", 50, 91, "ai weighed 95"},
		{"uncertain", 75, 75, "uncertain weighed 94"},
		{"uncertain", 75, 76, "ai weighed 95"},
	} {
		l := lanes(c.provenance, "uncertain", "uncertain")
		l.Watermark.Score, l.Pixels.Score = c.watermark, c.pixel
		require.Equal(t, c.want, answer(engine.Decide(l)), "%+v", c)
	}
}

func TestDoubtsNeverMakeAReal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.IntRange(0, 100)
		l := lanes(rapid.SampledFrom([]string{"uncertain", "none", "unavailable"}).Draw(t, "provenance"), "uncertain", "uncertain")
		l.Watermark.Score, l.Pixels.Score = scores.Draw(t, "watermark"), scores.Draw(t, "pixels")
		verdict, _, _ := engine.Decide(l)
		require.NotEqual(t, engine.Real, verdict)
	})
}
