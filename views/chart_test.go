package views

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func chartOf(days ...ChartDay) Chart {
	for i := range days {
		days[i].Day = time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC)
	}
	return Chart{ID: "c", Title: "A title", Days: days}
}

func TestScaleHasAFewRoundStepsAndCoversAll(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64][2]int64{
		0: {1, 1}, 1: {1, 1}, 4: {1, 4}, 5: {2, 6}, 8: {2, 8}, 9: {5, 10}, 20: {5, 20}, 21: {10, 30}, 99: {50, 100},
		401: {200, 600}, 1_000_000: {500_000, 1_000_000},
	} {
		step, top := chartOf(ChartDay{Requests: most}).scale()
		require.Equal(t, want, [2]int64{step, top}, "%d", most)
	}
	step, top := chartOf(ChartDay{Requests: 1, AI: 2, Real: 2}).scale()
	require.Equal(t, [2]int64{1, 4}, [2]int64{step, top}, "clips may end on a day without requests")
}

func TestPartsOfABarStandOnEachOtherInsideTheDrawing(t *testing.T) {
	t.Parallel()
	bars := chartOf(ChartDay{}, ChartDay{Requests: 10, AI: 4, Real: 3, Uncertain: 2, Unavailable: 1}).bars()
	require.Len(t, bars, 4, "a day without verdicts has no bar")
	below := chartBottom
	for i, b := range bars {
		require.Equal(t, chartKinds[i].name, b.kind)
		y, err := strconv.ParseFloat(b.y, 64)
		require.NoError(t, err)
		height, err := strconv.ParseFloat(b.height, 64)
		require.NoError(t, err)
		require.Positive(t, height)
		require.InDelta(t, below-chartGap, y+height, 0.2)
		require.GreaterOrEqual(t, y, chartTop)
		below = y
	}
}

func TestChartSaysInWordsWhatItShows(t *testing.T) {
	t.Parallel()
	c := chartOf(ChartDay{Requests: 1200, AI: 1000}, ChartDay{Requests: 7, Real: 3, Uncertain: 2, Unavailable: 1})
	var b bytes.Buffer
	require.NoError(t, ChartBox(c).Render(t.Context(), &b))
	html := b.String()
	require.Contains(t, html, `role="img" aria-labelledby="c-title c-desc"`)
	require.Contains(t, html, `<title id="c-title">A title</title>`)
	require.Contains(t, html, "From 1 March 2026 to 2 March 2026: 1,207 requests; 1,006 verdicts, of which 1,000 AI-generated, "+
		"3 real, 2 uncertain and 1 unavailable. The busiest day was 1 March 2026 with 1,200 requests.")
	require.NotContains(t, html, "style=")
	for _, kind := range chartKinds {
		require.Contains(t, html, `<pattern id="c-`+kind.name+`"`)
		require.GreaterOrEqual(t, strings.Count(html, `fill="url(#c-`+kind.name+`)"`), 2, "a bar and its key in the legend")
	}
}

func TestEveryWeekHasItsDateBelowAndTheLastDayToo(t *testing.T) {
	t.Parallel()
	dates := chartOf(make([]ChartDay, 30)...).dates()
	labels := []string{}
	for _, d := range dates {
		labels = append(labels, d.label)
	}
	require.Equal(t, []string{"2 Mar", "9 Mar", "16 Mar", "23 Mar", "30 Mar"}, labels)
	require.Empty(t, Chart{}.bars())
	require.Equal(t, "No days.", Chart{}.description())
}

func TestRoundNumbersAreShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 2500: "2.5k", 50_000: "50k", 1_500_000: "1.5M"} {
		require.Equal(t, want, short(n))
	}
}
