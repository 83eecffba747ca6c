package render

import (
	"bytes"
	"context"
	"fmt"

	"veracity/engine"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/pixels"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/render/origin"
	"veracity/engine/render/still"
	"veracity/platform/fault"
)

// Shares of decoding and encoding in the progress of an image, by the time that they take.
const (
	imageDecoded = 0.1
	imageEncoded = 0.97
)

// stillDetail is the account of an image's encoder.
type stillDetail struct {
	Fidelity still.Fidelity `json:"fidelity"`
	Target   float64        `json:"target"`
	Lossless bool           `json:"lossless"`
}

// Image optimizes an image file, data, into a PNG. m, when set, is the model of the pixels lane, by which the output must
// read as its source does. progress, when set, is told how much is done, 0 to 1.
//
// Faults: stage1_failed for an image that cannot be decoded, whose statements of origin cannot be kept, or that would pass
// for captured; and the decoder's own for what is no image at all. When ctx ends, the error wraps its cause.
func Image(ctx context.Context, d *raster.Decoder, m pixels.Network, data []byte, p Provenance, progress func(done float64),
) ([]byte, engine.Rendered, error) {
	format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
	picture, err := d.Decode(ctx, data, format)
	if err != nil {
		return nil, engine.Rendered{}, undecodable(ctx, err, format)
	}
	said, err := p.Reader.Image(ctx, data)
	if err != nil {
		return nil, engine.Rendered{}, fmt.Errorf("optimize image: %w", err)
	}
	statements := origin.ReadImage(data).Verified(said)
	part(progress, 0, imageDecoded)(1)
	encoded, err := encodeStill(ctx, d, m, picture, part(progress, imageDecoded, imageEncoded))
	if err == nil && !encoded.source.restsOn(said.Verdict, encoded.out) {
		err = unkept("image", encoded.source, encoded.out)
	}
	if err != nil {
		return nil, engine.Rendered{}, fmt.Errorf("optimize image: %w", err)
	}
	png, err := statements.IntoPNG(encoded.PNG)
	if err != nil {
		return nil, engine.Rendered{}, fmt.Errorf("optimize image: %w", lost(err))
	}
	png, signable, err := p.intoPNG(ctx, png, carrier.File{R: bytes.NewReader(data), Size: int64(len(data)), Format: format})
	if err != nil {
		return nil, engine.Rendered{}, fmt.Errorf("optimize image: %w", err)
	}
	// What the source says of itself is not the encoder's, so its bytes do not count in the score.
	points := ImagePoints(encoded.Similarity)
	score := Score(Outcome{Points: points, Bytes: int64(len(encoded.PNG)), PlainBytes: encoded.PlainBytes})
	out := engine.Rendered{
		ContentType: probe.PNG.ContentType(), Bytes: int64(len(png)), Width: picture.Width, Height: picture.Height, Score: score,
		Unsigned: signable,
		Detail: Detail{
			Mode: string(encoded.Mode), Metric: "ssimulacra2", Likeness: shown(encoded.Similarity), Points: shown(points),
			PlainBytes: encoded.PlainBytes, SourceBytes: int64(len(data)), Carried: statements.Names(),
			Pixels:   keptPixels(encoded.source, encoded.out),
			Encoding: stillDetail{Fidelity: encoded.cfg.Fidelity, Target: encoded.cfg.Fidelity.Target(), Lossless: encoded.Lossless},
		},
	}
	part(progress, 0, 1)(1)
	return png, out, nil
}

// undecodable is the fault of an image whose first stage failed. What is wrong with it, the decoder has told already.
func undecodable(ctx context.Context, err error, format probe.Format) error {
	if ended(ctx, err) || format.Media() != engine.Image {
		return fmt.Errorf("optimize image: %w", err)
	}
	return fault.Wrap(err, fault.Stage1Failed, "The image could not be re-rendered. %s", fault.From(err).Message)
}
