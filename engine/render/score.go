package render

import (
	"math"

	"veracity/engine"
)

// The score's numbers. docs/optimization.md explains them and works an example.
const (
	// likenessAlone is what likeness counts where no byte was saved: a lossless copy is good and no more.
	likenessAlone = 0.7
	// savingWeight is what each part saved adds. Half of the bytes saved is full marks.
	savingWeight = 0.6
	mostSaved    = 0.5
	// growthWeight is what each part takes by which a video outgrew its source, up to mostGrowth.
	growthWeight = 0.8
	mostGrowth   = 0.5
	// slightGrowth is what a container may add without the output being called larger.
	slightGrowth = 0.01
	// largestIfLarger is the best score of a video that is larger than its source: the end of good.
	largestIfLarger = 79
)

// Outcome is what the score of an optimization is made of.
type Outcome struct {
	// Points is the likeness to the re-rendered source, 0 to 100 ([ImagePoints], [VideoPoints]).
	Points float64
	// Bytes is the encoder's output, PlainBytes a plain encoding of the same kind; 0 where there is none to compare with.
	Bytes, PlainBytes int64
	// SourceBytes is the source's length of a video, 0 of an image: a PNG is no rival of the JPEG that it was made from.
	SourceBytes int64
	// BetterThanPlain says that the output is more like the source than the plain encoding is. Bytes beyond the plain
	// encoding's then bought something, and are not held against it.
	BetterThanPlain bool
}

// Score is points x (0.7 + 0.6 x saved - 0.8 x grown), rounded and held within 0 to 100. saved is the part of the plain
// encoding's bytes that was saved, -0.5 to 0.5. grown is by which part a video outgrew its source, 0 to 0.5; one that did
// by more than 1 % gets 79 at most, so that excellent never hides it. More likeness and fewer bytes never lower a score.
func Score(o Outcome) engine.OptimizationScore {
	points := clamp(o.Points, 0, 100)
	value := int(math.Round(clamp(points*(likenessAlone+savingWeight*o.saved()-growthWeight*clamp(o.grown(), 0, mostGrowth)), 0, 100)))
	if o.larger() {
		value = min(value, largestIfLarger)
	}
	return engine.OptimizationScore{Score: value, Zone: engine.ZoneOf(value)}
}

func (o Outcome) saved() float64 {
	if o.PlainBytes <= 0 {
		return 0
	}
	least := -mostSaved
	if o.BetterThanPlain {
		least = 0
	}
	return clamp(1-float64(o.Bytes)/float64(o.PlainBytes), least, mostSaved)
}

func (o Outcome) grown() float64 {
	if o.SourceBytes <= 0 {
		return 0
	}
	return float64(o.Bytes)/float64(o.SourceBytes) - 1
}

func (o Outcome) larger() bool {
	return o.SourceBytes > 0 && float64(o.Bytes) > float64(o.SourceBytes)*(1+slightGrowth)
}

// anchor is a value of a metric and what it counts.
type anchor struct{ value, points float64 }

// imageAnchors follow the scale that SSIMULACRA 2's authors publish (github.com/cloudinary/ssimulacra2): below 70
// artefacts are seen and annoy in the end, at 80 a difference is not noticed side by side, at 90 not even in a flicker
// test.
var imageAnchors = []anchor{{0, 0}, {30, 20}, {50, 35}, {70, 55}, {80, 75}, {85, 88}, {90, 95}, {100, 100}}

// videoAnchors put SSIM on the same scale by the opinion scores that Zinner et al. give for it (QoMEX 2010): 0.88 and
// more is fair, 0.95 good, and 0.99 excellent.
var videoAnchors = []anchor{{0, 0}, {0.5, 15}, {0.88, 35}, {0.95, 55}, {0.98, 85}, {0.99, 95}, {1, 100}}

// ImagePoints is what a SSIMULACRA 2 score counts, 0 to 100.
func ImagePoints(similarity float64) float64 { return between(imageAnchors, similarity) }

// VideoPoints is what a mean SSIM counts, 0 to 100.
func VideoPoints(ssim float64) float64 { return between(videoAnchors, ssim) }

// between reads a value off the straight lines between anchors. Not a number counts nothing.
func between(anchors []anchor, value float64) float64 {
	last := anchors[0]
	if math.IsNaN(value) || value <= last.value {
		return last.points
	}
	for _, next := range anchors[1:] {
		if value <= next.value {
			return last.points + (value-last.value)/(next.value-last.value)*(next.points-last.points)
		}
		last = next
	}
	return last.points
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }
