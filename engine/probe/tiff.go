package probe

// TIFF tags that bear on size and cost (TIFF 6.0; BigTIFF keeps them).
const (
	tagNewSubfile      = 254
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagStripOffsets    = 273
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanar          = 284
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagDNGVersion      = 50706
)

var tiffTags = map[uint16]bool{
	tagNewSubfile: true, tagWidth: true, tagHeight: true, tagBits: true, tagCompression: true, tagPhotometric: true,
	tagStripOffsets: true, tagSamples: true, tagRowsPerStrip: true, tagStripByteCounts: true, tagPlanar: true,
	tagTileWidth: true, tagTileHeight: true, tagTileOffsets: true, tagTileByteCounts: true, tagDNGVersion: true,
}

const (
	// maxDirectories bounds the chain of picture directories: pyramids have about a dozen.
	maxDirectories = 32
	// maxSamples leaves room for CMYK with an alpha and a few spot channels.
	maxSamples = 8
	// maxTileSide is libvips's own bound.
	maxTileSide = 10_000
	// scanlineRows is the strip height above which libvips reads a strip line by line instead of whole.
	scanlineRows = 128

	reducedResolution = 1
	planarSeparate    = 2
	photometricYCbCr  = 6
	compressionJPEG   = 7
)

// tiffCompressions are those that are read: none, the fax codes, LZW, JPEG, deflate (both numbers), PackBits. The rest
// (old-style JPEG, JPEG 2000, WebP, LZMA, LERC, Zstandard) are rare and would each open one more decoder to the world.
var tiffCompressions = map[uint64]bool{1: true, 2: true, 3: true, 4: true, 5: true, 7: true, 8: true, 32773: true, 32946: true}

// tiffHeader reads the first directory and counts the others. Directories that say they hold a smaller copy of the
// picture are no pages.
func tiffHeader(data []byte) (Info, error) {
	f, next, err := openTIFF(data)
	if err != nil {
		return Info{}, err
	}
	first, next, err := f.directory(next)
	if err != nil {
		return Info{}, err
	}
	info, err := first.info()
	if err != nil {
		return Info{}, err
	}
	for seen := 1; next != 0; seen++ {
		if seen == maxDirectories {
			return Info{}, excessive("more than %d directories", maxDirectories)
		}
		var d directory
		if d, next, err = f.directory(next); err != nil {
			return Info{}, err
		}
		if d.value(tagNewSubfile, 0)&reducedResolution == 0 {
			info.Pages++
		}
	}
	return info, nil
}

func (d directory) info() (Info, error) {
	if err := d.readable(); err != nil {
		return Info{}, err
	}
	width, height := d.value(tagWidth, 0), d.value(tagHeight, 0)
	const maxSide = 1<<31 - 1
	if width < 1 || width > maxSide || height < 1 || height > maxSide {
		return Info{}, malformed("size %d x %d", width, height)
	}
	info := Info{Width: int(width), Height: int(height), Pages: 1}
	if err := d.blocks(&info); err != nil {
		return Info{}, err
	}
	return info, nil
}

// readable refuses what this product does not decode: camera raw files (which hold a small preview first), odd sample
// layouts and rare compressions.
func (d directory) readable() error {
	if d.has(tagDNGVersion) || d.value(tagNewSubfile, 0)&reducedResolution != 0 {
		return unsupported("camera raw")
	}
	if c := d.value(tagCompression, 1); !tiffCompressions[c] {
		return unsupported("TIFF compression %d", c)
	}
	if s := d.value(tagSamples, 1); s < 1 || s > maxSamples {
		return unsupported("%d samples a pixel", s)
	}
	switch b := d.value(tagBits, 1); b {
	case 1, 2, 4, 8, 16, 32:
	default:
		return unsupported("%d bits a sample", b)
	}
	if d.value(tagCompression, 1) == compressionJPEG && d.value(tagPhotometric, 0) > 2 &&
		d.value(tagPhotometric, 0) != photometricYCbCr {
		return unsupported("JPEG in TIFF that is neither grey, RGB nor YCbCr")
	}
	return nil
}
