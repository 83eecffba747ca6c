package views_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// colour is a token's in light and in dark.
type colour [2]string

// colours reads the tokens that are colours.
func colours(t *testing.T) map[string]colour {
	t.Helper()
	css, err := os.ReadFile("static/site/10-tokens.css")
	require.NoError(t, err)
	found := map[string]colour{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindAllStringSubmatch(string(css), -1) {
		found[m[1]] = colour{m[2], m[3]}
	}
	return found
}

// luminance is the relative luminance of a colour (WCAG 2.2, "relative luminance").
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// contrast is the contrast ratio of two colours (WCAG 2.2, "contrast ratio").
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func TestTextAndMarksStandOutInBothSchemes(t *testing.T) {
	t.Parallel()
	all := colours(t)
	grounds := []string{"page", "panel", "raised"}
	for _, set := range []struct {
		ratio      float64
		fore, back []string
	}{
		// Text (WCAG 2.2, 1.4.3).
		{4.5, []string{"ink", "muted", "accent", "accent-strong", "good", "warn", "bad", "ai"}, grounds},
		{4.5, []string{"ink", "muted", "accent", "accent-strong"}, []string{"accent-soft"}},
		{4.5, []string{"ink", "good"}, []string{"good-soft"}},
		{4.5, []string{"ink", "warn"}, []string{"warn-soft"}},
		{4.5, []string{"ink", "bad", "accent"}, []string{"bad-soft"}},
		{4.5, []string{"ai"}, []string{"ai-soft"}},
		{4.5, []string{"on-accent"}, []string{"accent", "accent-strong"}},
		{4.5, []string{"on-bad"}, []string{"bad-fill"}},
		{4.5, []string{"page"}, []string{"accent", "good", "warn", "bad"}},
		// Borders of inputs and parts of charts (WCAG 2.2, 1.4.11).
		{3, []string{"edge", "bar-ai", "bar-real", "bar-uncertain", "bar-other", "bad-fill"}, grounds},
	} {
		for _, fore := range set.fore {
			for _, back := range set.back {
				for i, scheme := range []string{"light", "dark"} {
					require.Contains(t, all, fore)
					require.Contains(t, all, back)
					ratio := contrast(t, all[fore][i], all[back][i])
					require.GreaterOrEqual(t, ratio, set.ratio, "%s on %s in %s is %.2f", fore, back, scheme, ratio)
				}
			}
		}
	}
}

func TestContrastIsComputedAsTheGuidelinesSay(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 21, contrast(t, "#000000", "#ffffff"), 0.001)
	require.InDelta(t, 4.54, contrast(t, "#767676", "#ffffff"), 0.01)
}
