package inspect

import (
	"context"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/engine/raster"
)

// Accept decodes one image file whole and says what it is, so that what can not be optimized is refused before a job
// begins. Its faults are those of [raster.Decoder.Decode].
func (i *inspector) Accept(ctx context.Context, data []byte) (engine.File, error) {
	file, _, err := i.decode(ctx, data)
	return file, err
}

// decode finds out what an image file is and turns it into pixels.
func (i *inspector) decode(ctx context.Context, data []byte) (engine.File, *raster.Image, error) {
	format := probe.Sniff(data[:min(len(data), probe.HeadBytes)])
	image, err := i.decoder.Decode(ctx, data, format)
	if err != nil {
		return engine.File{}, nil, err
	}
	return engine.File{Format: format.Name(), Bytes: int64(len(data)), Width: image.Width, Height: image.Height}, image, nil
}
