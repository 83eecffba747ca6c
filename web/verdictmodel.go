package web

import (
	"encoding/json"

	"veracity/engine"
	"veracity/views"
)

// learned is the part of a report's detail that tells what a lane with a learned model read: pixels or voice.
type learned struct {
	Verdict string
	Score   int
	Reason  string
	Model   *struct {
		Model, Version string
		Rows           int
	}
}

// learnedOf reads the detail of such a lane, whose shape may change: what is not understood is left out.
func learnedOf(detail any) learned {
	var said learned
	raw, err := json.Marshal(detail)
	if err != nil || json.Unmarshal(raw, &said) != nil {
		return learned{}
	}
	return said
}

// byModel are the deciders in which a learned model took part: what it says is likely, never certain.
var byModel = map[engine.DecidedBy]bool{engine.ByPixels: true, engine.ByVoice: true, engine.ByWeighed: true}

var pixelWords = laneWords{
	"ai":          "The pixels look like a generator's, clearly enough that this is very likely. The model can be wrong.",
	"real":        "The pixels look like a camera's, clearly enough that this is very likely. The model can be wrong.",
	"uncertain":   "The pixels do not tell: cameras and generators both make such pictures, as far as the model can see.",
	"none":        "The pixels hold too little to go by.",
	"unavailable": "No model that judges pixels is loaded on this server, so this lane says nothing.",
}

// pixelReasons say why the pixels lane had nothing to go by.
var pixelReasons = map[string]string{
	"too_small":     "The picture is too small to read: a side has under 112 pixels.",
	"no_photograph": "It is made of flat areas in few colours, like a screen, a chart or a drawing. Only photographs, and what imitates them, can be read.",
	"no_texture":    "It has no texture to go by: it is flat, black or blown out all over.",
	"model_other":   "The model takes it for a screen, a drawing or a scan, and cannot tell who made such a picture.",
}

func pixelLane(r engine.Report) views.Lane {
	kind, said := string(r.Lanes.Pixels.Verdict), learnedOf(r.Detail.Pixels)
	l := lane("Pixels", kind, r.Lanes.Pixels.Score, pixelWords)
	if why, ok := pixelReasons[said.Reason]; ok && kind == "none" {
		l.Text = why
	}
	l.Text += said.by()
	return l
}

var voiceWords = laneWords{
	"ai":          "The voice sounds made by AI, clearly enough that this is very likely. The model can be wrong.",
	"real":        "The voice sounds recorded, clearly enough that this is very likely. The model can be wrong.",
	"uncertain":   "The sound does not tell: recorded and made voices both sound like this, as far as the model can hear.",
	"none":        "There is too little speech to go by: at least a second of it is needed within four.",
	"unavailable": "No model that judges voices is loaded on this server, so this lane says nothing.",
}

// voiceLane is what a voice clip's sound says. The contract has no such lane, so it stands in the detail alone.
func voiceLane(r engine.Report) (views.Lane, bool) {
	said := learnedOf(r.Detail.Voice)
	if voiceWords[said.Verdict] == "" {
		return views.Lane{}, false
	}
	l := lane("Voice", said.Verdict, said.Score, voiceWords)
	l.Text += said.by()
	return l, true
}

// by names the model that was shown something, in a sentence to follow another.
func (l learned) by() string {
	if l.Model == nil || l.Model.Rows == 0 {
		return ""
	}
	return " Model: " + printable(l.Model.Model+" "+l.Model.Version) + "."
}
