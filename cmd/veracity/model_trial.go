package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/platform/measure"
)

// modelTrial is what a test of a model came to.
type modelTrial struct {
	Lane        model.Lane        `json:"lane"`
	Profile     model.Profile     `json:"profile"`
	Method      string            `json:"method"`
	Rate        float64           `json:"wanted_rate"`
	Confidence  float64           `json:"confidence"`
	Calibration model.Calibration `json:"calibration"`
	// WhyAI and WhyReal say what set either end of the band.
	WhyAI   string `json:"why_ai"`
	WhyReal string `json:"why_real"`
	// Figures are those of the lane with this calibration and band, on the files that set them.
	Figures evaluation `json:"figures"`
	// Written is the file that took the calibration, "" where none did.
	Written string `json:"written,omitempty"`
	// Lacking are profiles that it must have before an engine takes the model.
	Lacking []model.Profile `json:"lacking,omitempty"`
}

// calibrate learns from the raw scores of all variants. Drawings and screens have no part in the probabilities; that they
// are called AI is held within the same bounds as that photographs are.
func calibrate(outcomes []outcome, f modelFlags) (modelTrial, error) {
	by := byPixels // Both lanes rank by the raw score.
	cases, _ := casesOf(outcomes, by)
	learn := measure.Isotonic
	if f.method == platt {
		learn = measure.Platt
	}
	points, err := learn(cases)
	if err != nil {
		return modelTrial{}, fmt.Errorf("%w: %d of %d outcomes have a score%s", err, len(cases), len(outcomes), firstRefusal(outcomes))
	}
	c := model.Calibration{Points: points}
	var judgedCases []measure.Judged
	for _, o := range outcomes {
		if raw, scored := o.value(by); scored {
			judgedCases = append(judgedCases, measure.Judged{
				Probability: c.Probability(raw), Positive: o.label == engine.AI, Group: cmp.Or(o.group, o.repo, "not named"), Variant: o.variant,
			})
		}
	}
	band := measure.Rule{Rate: f.rate, Confidence: f.confidence}.Band(judgedCases)
	c.Band = model.Band{Real: band.Negative, AI: band.Positive}
	return modelTrial{
		Method: f.method, Rate: f.rate, Confidence: f.confidence, Calibration: c, WhyAI: band.WhyPositive, WhyReal: band.WhyNegative,
	}, nil
}

func firstRefusal(outcomes []outcome) string {
	for _, o := range outcomes {
		if o.refusal != "" {
			return fmt.Sprintf("; %s was refused: %s", o.name, oneLine(o.why))
		}
	}
	return ""
}

// apply gives the outcomes as the lane alone would answer with the new calibration and band.
func (t modelTrial) apply(outcomes []outcome) []outcome {
	answered := make([]outcome, len(outcomes))
	for i, o := range outcomes {
		if raw, scored := o.value(byPixels); scored {
			reading := *o.reading
			reading.Probability = t.Calibration.Probability(raw)
			o.reading = &reading
			switch {
			case reading.Probability > t.Calibration.Band.AI:
				o.lane = engine.AI
			case reading.Probability < t.Calibration.Band.Real:
				o.lane = engine.Real
			default:
				o.lane = engine.Uncertain
			}
		}
		o.verdict, o.by = o.lane, engine.DecidedBy(t.Lane)
		answered[i] = o
	}
	return answered
}

func (s *Settings) printTrial(out io.Writer, t modelTrial) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(t))
		return err
	}
	if err := printFigures(out, t.Figures); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ncalibration of profile %s (%s)\nraw\tprobability of AI\n", t.Profile, t.Method)
	for _, p := range t.Calibration.Points {
		fmt.Fprintf(&b, "%.3f\t%.4f\n", p[0], p[1])
	}
	sure := "as measured"
	if t.Confidence > 0 {
		sure = fmt.Sprintf("with %.0f %% confidence", 100*t.Confidence)
	}
	fmt.Fprintf(&b, "\nband for %.3g %% wrong at most, %s, and three times that in any group\n", 100*t.Rate, sure)
	fmt.Fprintf(&b, "ai above\t%g\t%s\nreal below\t%g\t%s\n", t.Calibration.Band.AI, t.WhyAI, t.Calibration.Band.Real, t.WhyReal)
	b.WriteString("The answers above are those of the lane alone with this band, on the files that set it.\n")
	if t.Written != "" {
		fmt.Fprintf(&b, "written to %s\n", t.Written)
	}
	for _, p := range t.Lacking {
		fmt.Fprintf(&b, "the model still lacks the profile %s: run the command with a list of such files before using it\n", p)
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return w.Flush()
}
