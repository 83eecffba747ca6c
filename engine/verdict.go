package engine

import "math"

// Scores that a lane without one of its own counts with.
const (
	provenanceAI        = 98
	provenanceReal      = 2
	provenanceUncertain = 65
	conflictScore       = 50
)

// Weighed lanes must reach these scores together before they decide; between them lies honest doubt. A pixels score
// at or above strongAI contradicts a trusted camera manifest.
const (
	weighedAI   = 95
	weighedReal = 5
	strongAI    = 90
)

// Decide turns the lanes of an image into verdict, score and what decided. It is the whole verdict policy: a watermark
// that decodes decides; then provenance; a trusted `real` against a strong `ai` is a conflict; then the pixels lane when
// it is outside its abstention band; then weak lanes together. Where no lane could say anything the verdict is
// unavailable and the score nil, never a guess.
func Decide(l Lanes) (Verdict, *int, DecidedBy) {
	switch {
	case l.Provenance.Verdict == Real && contradicted(l):
		return Uncertain, score(conflictScore), ByConflict
	case l.Watermark.Verdict == AI:
		return AI, score(l.Watermark.Score), ByWatermark
	case l.Provenance.Verdict == AI:
		return AI, score(provenanceAI), ByProvenance
	case l.Provenance.Verdict == Real:
		return Real, score(provenanceReal), ByProvenance
	case l.Pixels.Verdict == AI, l.Pixels.Verdict == Real:
		return l.Pixels.Verdict, score(l.Pixels.Score), ByPixels
	}
	return weigh(l)
}

func contradicted(l Lanes) bool {
	return l.Watermark.Verdict == AI || (l.Pixels.Verdict == AI && l.Pixels.Score >= strongAI)
}

// weigh adds up the doubtful lanes as independent evidence: their log-odds sum.
func weigh(l Lanes) (Verdict, *int, DecidedBy) {
	var odds float64
	doubtful := 0
	for _, lane := range []Lane{l.Pixels, l.Watermark, {l.Provenance.Verdict, provenanceUncertain}} {
		if lane.Verdict == Uncertain {
			odds += logit(lane.Score)
			doubtful++
		}
	}
	if doubtful == 0 {
		return silent(l)
	}
	s := int(math.Round(100 / (1 + math.Exp(-odds))))
	switch {
	case doubtful > 1 && s >= weighedAI:
		return AI, &s, ByWeighed
	case doubtful > 1 && s <= weighedReal:
		return Real, &s, ByWeighed
	}
	return Uncertain, &s, ByWeighed
}

// silent is the answer when no lane has anything to go by. Only a pixels lane that ran can make that `uncertain`:
// missing marks say nothing about a picture, so without it there is no verdict.
func silent(l Lanes) (Verdict, *int, DecidedBy) {
	if l.Pixels.Verdict == None {
		return Uncertain, score(conflictScore), ByWeighed
	}
	return Unavailable, nil, ByWeighed
}

func logit(score int) float64 {
	p := min(max(float64(score), 1), 99) / 100
	return math.Log(p / (1 - p))
}

func score(s int) *int { return &s }
