package engine

import "math"

// Scores that a lane without one of its own counts with.
const (
	provenanceAI        = 98
	provenanceReal      = 2
	provenanceUncertain = 65
	conflictScore       = 50
)

// Lanes in doubt must reach weighedAI together before they decide. A pixels score (or, where there is sound, a voice score)
// at or above strongAI contradicts a trusted camera manifest.
const (
	weighedAI = 95
	strongAI  = 90
)

// Decide turns the lanes of an image into verdict, score and what decided. It is the whole verdict policy, which
// docs/checks.md sets out: a trusted `real` against a strong `ai` of another lane is a conflict; else a watermark that
// decodes decides; then provenance; then the pixels lane when it is outside its abstention band (for `real`: and nothing
// else speaks of AI); then lanes in doubt together. Where no lane could say anything the verdict is unavailable and the
// score nil, never a guess.
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
	case l.Pixels.Verdict == AI, l.Pixels.Verdict == Real && !suspected(l):
		return l.Pixels.Verdict, score(l.Pixels.Score), ByPixels
	}
	return weigh(l)
}

// suspected says that a mark or a statement speaks of AI without deciding, such as one of an edit with AI. Pixels that look
// captured do not undo it.
func suspected(l Lanes) bool {
	return l.Provenance.Verdict == Uncertain || l.Watermark.Verdict == Uncertain
}

func contradicted(l Lanes) bool {
	return l.Watermark.Verdict == AI || l.Pixels.Strong()
}

// Strong says that a lane contradicts every `real` of another.
func (l Lane) Strong() bool { return l.Verdict == AI && l.Score >= strongAI }

// DecideFrame is what one frame of a video says by itself, from its pixels and watermark lanes. A frame without a verdict
// has the score of one that leans to neither side.
func DecideFrame(l Lanes) (Verdict, int) {
	l.Provenance = ProvenanceLane{Verdict: None}
	verdict, s, _ := Decide(l)
	if s == nil {
		return verdict, conflictScore
	}
	return verdict, *s
}

// DecideVideo decides as Decide does, over the lanes of the whole clip: provenance is the file's, the others are pooled
// from its frames. sound is the voice lane. It never makes a video `ai` or `real`, since a made-up voice over filmed
// pictures says nothing about them, but a strong `ai` in it contradicts every `real`.
func DecideVideo(l Lanes, sound Lane) (Verdict, *int, DecidedBy) {
	verdict, s, by := Decide(l)
	if verdict == Real && sound.Strong() {
		return Uncertain, score(conflictScore), ByConflict
	}
	return verdict, s, by
}

// DecideVoice decides on a voice clip: provenance as for images, with a conflict where a strong voice lane contradicts a
// trusted `real`; else the voice lane. A lane in doubt decides nothing alone, and names itself; two are weighed.
func DecideVoice(p ProvenanceLane, voice Lane) (Verdict, *int, DecidedBy) {
	switch {
	case p.Verdict == Real && voice.Strong():
		return Uncertain, score(conflictScore), ByConflict
	case p.Verdict == AI:
		return AI, score(provenanceAI), ByProvenance
	case p.Verdict == Real:
		return Real, score(provenanceReal), ByProvenance
	case voice.Verdict == AI, voice.Verdict == Real && p.Verdict != Uncertain:
		return voice.Verdict, score(voice.Score), ByVoice
	case p.Verdict == Uncertain && voice.Verdict == Uncertain:
		return weigh(Lanes{Pixels: voice, Provenance: p})
	case p.Verdict == Uncertain:
		return Uncertain, score(provenanceUncertain), ByProvenance
	case voice.Verdict == Uncertain:
		return Uncertain, score(voice.Score), ByVoice
	case voice.Verdict == None:
		return Uncertain, score(conflictScore), ByVoice
	}
	return Unavailable, nil, ByVoice
}

// PoolMarks sums up the watermark lane of a video. together is what its frames' evidence says when it is added up, for
// they carry one mark on one grid. A mark that decodes in a single frame decides for the clip too, the surest first,
// since nothing but a generator writes it; a trace in one that does not add up is chance.
func PoolMarks(together Lane, frames []Lane) Lane {
	best := together
	for _, l := range frames {
		if l.Verdict == AI && (best.Verdict != AI || l.Score > best.Score) {
			best = l
		}
	}
	return best
}

// weigh adds up the lanes in doubt as independent evidence: their log-odds sum. Two of them at least decide, and for `ai`
// alone. Of those that can be in doubt, only pixels can lean to `real`: a trace of a watermark and an unsigned statement
// speak of AI, and one lane does not weigh that up.
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
	if doubtful > 1 && s >= weighedAI {
		return AI, &s, ByWeighed
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
