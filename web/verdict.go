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
		Decided: decided[string(report.DecidedBy)], Next: nextSteps(kind, string(report.DecidedBy)),
	}
	v.Sure = "There is no score where there is no verdict."
	if kind == "unavailable" {
		v.Decided = "nothing."
	}
	if report.Score != nil {
		v.Sure = sureness(*report.Score)
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
		v.ReadingsNote = "Windows of the clip in which somebody speaks."
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
		marks, pixels := r.Lanes.Watermark, r.Lanes.Pixels
		lanes = append(lanes,
			lane("Watermark", string(marks.Verdict), marks.Score, watermarkWords), lane("Pixels", string(pixels.Verdict), pixels.Score, pixelWords))
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
	"uncertain":   "There is evidence, and it does not suffice to call the file either way.",
	"unavailable": "No lane had anything to go by, so there is no verdict. That is no sign of either.",
}

var decided = map[string]string{
	"watermark":  "a watermark that decodes to what a known generator writes.",
	"provenance": "what the file says of its own origin.",
	"pixels":     "the pixels alone.",
	"weighed":    "all lanes together, none of which decides by itself.",
	"conflict":   "two strong lanes that contradict each other.",
	"voice":      "the sound of the voice.",
}

// sureness says a score from 0 to 100 in words.
func sureness(score int) string {
	switch {
	case score >= 90:
		return "As good as certain: AI-generated."
	case score >= 60:
		return "It leans towards AI."
	case score > 40:
		return "It leans to neither side."
	case score > 10:
		return "It leans towards a capture."
	}
	return "As good as certain: captured by a camera or recorder."
}

func nextSteps(kind, by string) []string {
	switch {
	case by == "conflict":
		return []string{"Look at the file by hand: somebody may have signed a generated picture, or marked a captured one.", "Ask whoever sent it for the original and how it came about."}
	case kind == "ai":
		return []string{"Label it as AI-generated where you publish it.", "Keep the original file: a copy that was saved anew may have lost the evidence."}
	case kind == "real":
		return []string{"Keep the original with its signed record. An edited copy has to be checked again."}
	case kind == "uncertain":
		return []string{"Do not treat it as either. Ask for the original: copies lose metadata and watermarks.", "In your own code, send such files to a person."}
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

var pixelWords = laneWords{
	"ai":          "The pixels look like a generator's.",
	"real":        "The pixels look like a camera's.",
	"uncertain":   "The pixels lie between what cameras and generators make.",
	"none":        "The pixels hold too little to go by.",
	"unavailable": "No model that judges pixels is loaded on this server, so this lane says nothing.",
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
		return "The voice in it sounds made by AI. That says nothing about the pictures."
	case "real":
		return "The voice in it sounds recorded. That says nothing about the pictures."
	case "uncertain":
		return "The voice in it could be either."
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
