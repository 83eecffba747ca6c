// Package probe tells what a file is by its content alone, in pure Go: the format from its first bytes, and the size,
// pages and cost of a picture from its header. It runs before any decoder sees the file, so it treats every length and
// offset as hostile. It decodes no pixels, sets no limits of the product and makes no verdicts.
package probe

import "veracity/engine"

// Format is a file format that the product takes, in the spelling of the report's file.format.
type Format string

// Formats. Unknown is every file that is none of the others.
const (
	Unknown Format = ""

	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	GIF  Format = "gif"
	AVIF Format = "avif"
	HEIC Format = "heic"
	HEIF Format = "heif"
	TIFF Format = "tiff"
	BMP  Format = "bmp"

	MP4  Format = "mp4"
	MOV  Format = "mov"
	WebM Format = "webm"

	MP3 Format = "mp3"
	WAV Format = "wav"
	M4A Format = "m4a"
)

type description struct {
	media       engine.Media
	contentType string
	name        string
}

var descriptions = map[Format]description{
	JPEG: {engine.Image, "image/jpeg", "JPEG"},
	PNG:  {engine.Image, "image/png", "PNG"},
	WebP: {engine.Image, "image/webp", "WebP"},
	GIF:  {engine.Image, "image/gif", "GIF"},
	AVIF: {engine.Image, "image/avif", "AVIF"},
	HEIC: {engine.Image, "image/heic", "HEIC"},
	HEIF: {engine.Image, "image/heif", "HEIF"},
	TIFF: {engine.Image, "image/tiff", "TIFF"},
	BMP:  {engine.Image, "image/bmp", "BMP"},
	MP4:  {engine.Video, "video/mp4", "MP4"},
	MOV:  {engine.Video, "video/quicktime", "MOV"},
	WebM: {engine.Video, "video/webm", "WebM"},
	MP3:  {engine.Audio, "audio/mpeg", "MP3"},
	WAV:  {engine.Audio, "audio/wav", "WAV"},
	M4A:  {engine.Audio, "audio/mp4", "M4A"},
}

// Media is the kind of file that f is, or "" for Unknown. An MP4 that holds sound alone still counts as video: telling
// them apart takes a demuxer.
func (f Format) Media() engine.Media { return descriptions[f].media }

// ContentType is the canonical media type of f, or "" for Unknown.
func (f Format) ContentType() string { return descriptions[f].contentType }

// Name is f as people write it ("WebP"), or "unknown format".
func (f Format) Name() string {
	if d, ok := descriptions[f]; ok {
		return d.name
	}
	return "unknown format"
}
