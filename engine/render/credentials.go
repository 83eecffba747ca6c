package render

import (
	"context"
	"fmt"
	"time"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/sign"
	"veracity/engine/c2pa/splice"
	"veracity/engine/probe"
	"veracity/engine/provenance"
)

// generator names the program in the manifests that it makes.
const generator = "Veracity"

// Provenance has an output say where it comes from.
type Provenance struct {
	// Reader reads what the source says.
	Reader provenance.Reader
	// Room is how many bytes the signature of the output's Content Credentials takes, 0 to leave them out.
	Room int
	// Version is the program's.
	Version string
}

// order is the manifest of what is made of the source f into the format.
func (p Provenance) order(ctx context.Context, f carrier.File, format string) (sign.Order, error) {
	store, active, results, err := c2pa.ReadIngredient(ctx, f, p.Reader.Options())
	if err != nil {
		return sign.Order{}, fmt.Errorf("take the source's Content Credentials along: %w", err)
	}
	return sign.Order{
		Generator: generator, Version: p.Version, Format: format, Room: p.Room, Now: time.Now(),
		Source: sign.Source{Format: f.Format.ContentType(), Store: store, Active: active, Results: results},
		Actions: []sign.Action{
			{Name: "c2pa.converted", Description: "Rendered upright in sRGB with 8 bits; decoding artefacts reduced."},
			{Name: "c2pa.edited.metadata", Description: "Places, serial numbers, thumbnails and other private metadata removed."},
			{Name: "c2pa.transcoded", Description: "Encoded at the smallest size that looks the same."},
		},
	}, nil
}

// intoPNG puts a manifest into the output, where one is asked for.
func (p Provenance) intoPNG(ctx context.Context, png []byte, source carrier.File) ([]byte, *splice.Unsigned, error) {
	if p.Room == 0 {
		return png, nil, nil
	}
	o, err := p.order(ctx, source, probe.PNG.ContentType())
	if err != nil {
		return nil, nil, err
	}
	out, u, err := sign.IntoPNG(png, o)
	if err != nil {
		return nil, nil, fmt.Errorf("write Content Credentials: %w", err)
	}
	return out, &u, nil
}

// intoMP4 does the same to the output at path.
func (p Provenance) intoMP4(ctx context.Context, path string, source carrier.File) (*splice.Unsigned, error) {
	if p.Room == 0 {
		return nil, nil //nolint:nilnil // Nothing is to be signed.
	}
	o, err := p.order(ctx, source, probe.MP4.ContentType())
	if err != nil {
		return nil, err
	}
	u, err := sign.IntoMP4(path, o)
	if err != nil {
		return nil, fmt.Errorf("write Content Credentials: %w", err)
	}
	return &u, nil
}
