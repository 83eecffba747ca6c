// Package engine is the media engine as the rest of the house sees it: bytes in, a report out. It knows no account, no
// credits and no database. The types here are shared by the engine's own process (engine/serve) and by its callers;
// decoding happens in that process alone, so nothing here links libvips.
package engine

import (
	"context"
	"io"
)

// Verdict is what a result or a lane says.
type Verdict string

// Verdicts. None appears on lanes only: the lane found nothing to go by.
const (
	AI          Verdict = "ai"
	Real        Verdict = "real"
	Uncertain   Verdict = "uncertain"
	None        Verdict = "none"
	Unavailable Verdict = "unavailable"
)

// DecidedBy names what the verdict rests on.
type DecidedBy string

// The contract's values of decided_by.
const (
	ByWatermark  DecidedBy = "watermark"
	ByProvenance DecidedBy = "provenance"
	ByPixels     DecidedBy = "pixels"
	ByWeighed    DecidedBy = "weighed"
	ByConflict   DecidedBy = "conflict"
	ByVoice      DecidedBy = "voice"
)

// Media is the kind of a file.
type Media string

// Kinds of media.
const (
	Image Media = "image"
	Video Media = "video"
	Audio Media = "audio"
)

// Lane is one reading with a score: 0 = surely captured or recorded, 100 = surely AI-generated.
type Lane struct {
	Verdict Verdict `json:"verdict"`
	Score   int     `json:"score"`
}

// ProvenanceLane is the reading of what the file says of its own origin.
type ProvenanceLane struct {
	Verdict Verdict `json:"verdict"`
	// Issuer is who made the statement that counted (a tool, a company, a certificate's organisation), nil when unknown.
	Issuer *string `json:"issuer"`
}

// Lanes are the readings behind a verdict, in the contract's shape.
type Lanes struct {
	Pixels     Lane           `json:"pixels"`
	Watermark  Lane           `json:"watermark"`
	Provenance ProvenanceLane `json:"provenance"`
}

// Report is the engine's whole answer on one file.
type Report struct {
	Media     Media     `json:"media"`
	Verdict   Verdict   `json:"verdict"`
	Score     *int      `json:"score"`
	DecidedBy DecidedBy `json:"decided_by"`
	Lanes     Lanes     `json:"lanes"`
	// Video describes a checked video, Audio a checked voice clip.
	Video *VideoInfo `json:"video,omitempty"`
	Audio *AudioInfo `json:"audio,omitempty"`
	// Detail is the raw report behind detail=full. Its shape may change.
	Detail Detail `json:"detail"`
}

// Detail says how the readings came about.
type Detail struct {
	File       File `json:"file"`
	Provenance any  `json:"provenance,omitempty"`
	// Watermark says which marks were found in the pixels, and how.
	Watermark any `json:"watermark,omitempty"`
	// Pixels names the model of the pixels lane, where it looked and what it said before and after calibration.
	Pixels any `json:"pixels,omitempty"`
	// Clip says what a video or voice clip is made of and which frames were read, Voice what its sound holds.
	Clip      any                `json:"clip,omitempty"`
	Voice     any                `json:"voice,omitempty"`
	TimingsMS map[string]float64 `json:"timings_ms"`
	Engine    string             `json:"engine"`
}

// File is what the engine found the file to be.
type File struct {
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Source is one file on its way to the engine.
type Source struct {
	// Body is read once, and only after the engine has admitted the check.
	Body io.Reader
	// Size is Body's length in bytes.
	Size int64
	// Admitted, when set, is called once, after the engine has taken the check on and before Body is read. An error
	// from it ends the check and is returned as it is.
	Admitted func(ctx context.Context) error
}

// Checker is the engine as media needs it. Faults: engine_unavailable (with RetryAfter), model_unavailable,
// engine_credentials_missing, engine_region_missing, too_many_pixels, unsupported_media, image_too_large, invalid_image
// (the file is empty), engine_error.
type Checker interface {
	CheckImage(ctx context.Context, src Source) (Report, error)
	Ready(ctx context.Context) error
}
