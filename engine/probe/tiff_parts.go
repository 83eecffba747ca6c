package probe

import "iter"

// blocks works out what the strips or tiles cost. A tile may reach past the picture's edges, so tiles decide how many
// pixels are decoded.
func (d directory) blocks(info *Info) error {
	bitsPerPixel := d.small(tagSamples, 1) * d.small(tagBits, 1)
	bytesAt := func(pixels int64) int64 { return (pixels*bitsPerPixel + 7) / 8 }
	if d.has(tagTileWidth) || d.has(tagTileHeight) {
		width, height := d.small(tagTileWidth, 0), d.small(tagTileHeight, 0)
		if width < 1 || width > maxTileSide || height < 1 || height > maxTileSide {
			return excessive("tiles of %d x %d", width, height)
		}
		info.Block = bytesAt(width * height)
		info.Work = ceilDiv(int64(info.Width), width) * ceilDiv(int64(info.Height), height) * width * height
		return d.parts(tagTileOffsets, tagTileByteCounts, Info{Width: int(width), Height: int(height)}, info)
	}
	rows := min(max(d.small(tagRowsPerStrip, 1<<32-1), 1), int64(info.Height))
	part := Info{Width: info.Width, Height: int(rows)}
	if rows > scanlineRows && d.value(tagPlanar, 1) != planarSeparate && d.value(tagPhotometric, 0) != photometricYCbCr {
		rows = 1
	}
	info.Block = bytesAt(int64(info.Width) * rows)
	return d.parts(tagStripOffsets, tagStripByteCounts, part, info)
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// parts checks the stored strips or tiles: each lies in the file, and together they are no longer than it, because
// parts that share bytes would let a small file stand for endless decoding. JPEG parts have headers of their own,
// which must keep to the part's size.
func (d directory) parts(offsets, counts uint16, part Info, info *Info) error {
	var sum uint64
	next, stop := iter.Pull(d.values(offsets))
	defer stop()
	for count := range d.values(counts) {
		offset, ok := next()
		body := d.file.at(offset, count)
		if sum += count; !ok || body == nil || sum > uint64(len(d.file.data)) {
			return malformed("pixel data outside the file, or stored twice")
		}
		if d.value(tagCompression, 1) != compressionJPEG || count == 0 {
			continue
		}
		inner, err := jpegHeader(body)
		if err != nil {
			return err
		}
		if inner.Width > part.Width || inner.Height > part.Height {
			return malformed("JPEG of %d x %d in a part of %d x %d", inner.Width, inner.Height, part.Width, part.Height)
		}
		info.Scans = max(info.Scans, inner.Scans)
	}
	if sum == 0 {
		return malformed("no pixel data")
	}
	return nil
}
