package main

import (
	"encoding/json"
	"fmt"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/platform/fault"
)

// judged says by what a file is measured.
type judged string

// What can be measured: one learned lane by its raw score, or the whole answer by its score.
const (
	byPixels  judged = "pixels"
	byVoice   judged = "voice"
	byVerdict judged = "verdict"
)

func parseJudged(text string) (judged, error) {
	switch j := judged(text); j {
	case byPixels, byVoice, byVerdict:
		return j, nil
	}
	return "", usageError{fmt.Errorf("--lane is %q: pixels, voice or verdict is needed", text)}
}

// outcome is what the engine said of one file in one variant.
type outcome struct {
	sample
	variant string
	// verdict, score and by are the whole answer's.
	verdict engine.Verdict
	score   *int
	by      engine.DecidedBy
	// lane is what the lane that is measured said, reading what its model said, nil where it was not asked.
	lane    engine.Verdict
	reading *model.Score
	// refusal is the code for which the file was not judged, "" when it was, and why the words.
	refusal fault.Code
	why     string
	// engine is the version of the set of lanes.
	engine string
}

// laneDetail is what the engine's detail has of a learned lane.
type laneDetail struct {
	Verdict engine.Verdict `json:"verdict"`
	Model   *model.Score   `json:"model"`
}

// read takes an outcome out of a report. Details are open values, so they are read through JSON.
func (o *outcome) read(report engine.Report, by judged) error {
	o.verdict, o.score, o.by, o.engine = report.Verdict, report.Score, report.DecidedBy, report.Detail.Engine
	var detail struct{ Pixels, Voice *laneDetail }
	text, err := json.Marshal(report.Detail)
	if err == nil {
		err = json.Unmarshal(text, &detail)
	}
	if err != nil {
		return fmt.Errorf("read the engine's detail on %s: %w", o.name, err)
	}
	if by == byVerdict {
		o.lane = report.Verdict
		return nil
	}
	said := detail.Pixels
	if by == byVoice {
		said = detail.Voice
	}
	o.lane = engine.Unavailable
	if said != nil {
		o.lane, o.reading = said.Verdict, said.Model
	}
	return nil
}

// value is the score that ranks the file, higher for AI. There is none where the file was refused, or the lane has nothing to
// say of it.
func (o outcome) value(by judged) (float64, bool) {
	switch {
	case o.refusal != "":
		return 0, false
	case by == byVerdict:
		if o.score == nil {
			return 0, false
		}
		return float64(*o.score), true
	case o.reading == nil, o.reading.Rows == 0, o.lane == engine.None:
		return 0, false
	}
	return o.reading.Raw, true
}

// probability is the calibrated probability of AI.
func (o outcome) probability(by judged) float64 {
	if by == byVerdict {
		return float64(*o.score) / 100
	}
	return o.reading.Probability
}
