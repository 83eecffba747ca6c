package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"veracity/engine"
	"veracity/media"
	"veracity/views"
)

// verdictOf puts a check's report into words. The check must have one.
func verdictOf(check media.Check) views.Verdict {
	report := check.Report
	kind := string(report.Verdict)
	v := views.Verdict{
		Kind: kind, Word: verdictWord(kind), Meaning: meanings[kind], Score: report.Score,
		Decided: decided[string(report.DecidedBy)], Next: nextSteps(report.Verdict, report.DecidedBy),
	}
	v.Sure = "There is no score where there is no verdict."
	switch {
	case report.Verdict == engine.Unavailable:
		v.Decided = "nothing."
	case report.Verdict == engine.Uncertain && report.DecidedBy == engine.ByVoice:
		v.Decided = "nothing by itself: the voice does not tell."
	}
	if report.Score != nil {
		v.Sure = sureness(report.Verdict, report.DecidedBy, *report.Score)
	}
	v.Lanes = LanesInWords(*report)
	switch {
	case report.Video != nil:
		v.Sound = soundWords(report.Video.Audio)
		v.ReadingsNote = "Frames spread over the video, each judged by its watermark and pixels alone."
		for _, r := range report.Video.Readings {
			v.Readings = append(v.Readings, reading(r.T, string(r.Verdict), r.Score))
		}
	case report.Audio != nil:
		v.ReadingsNote = "Stretches of up to 4 seconds that cover the clip. The verdict rests on all with speech together."
		for _, r := range report.Audio.Readings {
			v.Readings = append(v.Readings, reading(r.T, string(r.Verdict), r.Score))
		}
	}
	return v
}

// LanesInWords says for people what each lane of a report goes by.
func LanesInWords(r engine.Report) []views.Lane {
	lanes := []views.Lane{provenanceLane(r)}
	if r.Audio == nil {
		marks := r.Lanes.Watermark
		return append(lanes, lane("Watermark", string(marks.Verdict), marks.Score, watermarkWords), pixelLane(r))
	}
	if voice, ok := voiceLane(r); ok {
		lanes = append(lanes, voice)
	}
	return lanes
}

func verdictWord(kind string) string {
	switch kind {
	case "ai":
		return "AI-generated"
	case "real":
		return "Real"
	case "uncertain":
		return "Uncertain"
	case "none":
		return "Nothing found"
	}
	return "Unavailable"
}

var meanings = map[string]string{
	"ai":          "The evidence says that a model made this file, or a part of it that matters.",
	"real":        "The evidence says that a camera or a recorder captured this file.",
	"uncertain":   "What was found does not suffice to call the file either way. That is no sign of either.",
	"unavailable": "No lane had anything to go by, so there is no verdict. That is no sign of either.",
}

var decided = map[string]string{
	"watermark":  "a watermark that decodes to what a known generator writes.",
	"provenance": "what the file says of its own origin.",
	"pixels":     "what a learned model reads in the pixels.",
	"weighed":    "all lanes together, none of which decides by itself.",
	"conflict":   "two strong lanes that contradict each other.",
	"voice":      "what a learned model hears in the voice.",
}

// sureness says a verdict's score from 0 to 100 in words. A verdict that a learned model had a part in is never certain,
// and the score of one in doubt only leans.
func sureness(verdict engine.Verdict, by engine.DecidedBy, score int) string {
	side := "AI-generated"
	switch {
	case by == engine.ByConflict:
		return "The evidence contradicts itself, so the score takes neither side."
	case verdict == engine.Uncertain && score >= 60:
		return "It leans towards AI, and not far enough to say so."
	case verdict == engine.Uncertain && score > 40:
		return "It leans to neither side."
	case verdict == engine.Uncertain:
		return "It leans towards a capture, and not far enough to say so."
	case verdict == engine.Real:
		side = "captured by a camera or recorder"
	}
	if byModel[by] || score > 10 && score < 90 {
		return "Very likely, and not certain: " + side + "."
	}
	return "As good as certain: " + side + "."
}

func nextSteps(verdict engine.Verdict, by engine.DecidedBy) []string {
	switch {
	case by == engine.ByConflict:
		return []string{"Look at the file by hand: somebody may have signed a generated picture, or marked a captured one.", "Ask whoever sent it for the original and how it came about."}
	case verdict == engine.AI && byModel[by]:
		return []string{
			"Do not act against a person by this alone: a learned model took part in it, and it can be wrong.",
			"Have somebody look at the file, and ask whoever sent it for the original and how it came about.",
		}
	case verdict == engine.AI:
		return []string{"Label it as AI-generated where you publish it.", "Keep the original file: a copy that was saved anew may have lost the evidence."}
	case verdict == engine.Real && byModel[by]:
		return []string{"Take it as a hint, not as a proof: nothing is signed, and a learned model can be wrong.", "Where much depends on it, ask for the original and how it came about."}
	case verdict == engine.Real:
		return []string{"Keep the original with its signed record. An edited copy has to be checked again."}
	case verdict == engine.Uncertain:
		return []string{"Do not treat it as either, whatever its score. Ask for the original: copies lose metadata and watermarks.", "In your own code, go on as if the file had not been checked, and send it to a person where much depends on it."}
	}
	return []string{"Ask for the original file: sharing a file strips what it says of its origin.", "In your own code, treat “unavailable” as unknown, never as real."}
}

// laneWords are what a lane's verdicts mean.
type laneWords map[string]string

var watermarkWords = laneWords{
	"ai":          "A watermark decodes to what a known generator writes.",
	"uncertain":   "There are traces of a watermark, too weak to read.",
	"none":        "No watermark that is known here was found. Most generators leave none, so this proves nothing.",
	"unavailable": "No watermark could be looked for in this file on this server.",
}

func lane(name, kind string, score int, words laneWords) views.Lane {
	l := views.Lane{Name: name, Kind: kind, Word: verdictWord(kind), Text: words[kind]}
	if kind == "ai" || kind == "real" || kind == "uncertain" {
		l.Text += fmt.Sprintf(" Score %d of 100.", score)
	}
	return l
}

func soundWords(word string) string {
	switch word {
	case "none":
		return "The video has no sound track."
	case "silent":
		return "The sound track is silent."
	case "ai":
		return "The voice in it is very likely made by AI. A model says so, which can be wrong, and it says nothing about the pictures."
	case "real":
		return "The voice in it is very likely recorded. A model says so, which can be wrong, and it says nothing about the pictures."
	case "uncertain":
		return "Whether the voice in it is recorded or made cannot be told, or nobody speaks."
	}
	return "The sound could not be judged on this server."
}

func reading(at float64, kind string, score int) views.Reading {
	return views.Reading{At: fmt.Sprintf("%.1f s", at), Kind: kind, Word: verdictWord(kind), Score: score}
}

// printable replaces what would not show, or would show other text in a wrong order: a file's own words are a stranger's.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '·'
	}, strings.ToValidUTF8(text, "·"))
}

// laidOut is JSON with line breaks, or as it is when it is none.
func laidOut(body []byte) string {
	var v json.RawMessage
	if json.Unmarshal(body, &v) != nil {
		return printable(string(body))
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return printable(string(body))
	}
	return printable(string(out))
}
