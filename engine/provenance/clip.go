package provenance

import (
	"io"

	"veracity/engine/probe"
	"veracity/engine/provenance/clip"
	"veracity/engine/provenance/container"
)

// ReadClip reports what a video or voice clip says of its own origin. r is the file, size bytes long, and format what
// [probe.Sniff] takes it for: MP4, MOV, M4A, WebM, MP3 or WAV; any other says nothing. It reads at most 8 MB of metadata
// and none of the pictures or sound, and takes what is whole of a truncated or damaged file. It never fails: a file that
// says nothing, or cannot be read, has the verdict none.
func ReadClip(r io.ReaderAt, size int64, format probe.Format) Report {
	file := clip.Open(r, size, format)
	f := finder{texts: texts{}}
	for _, b := range file.Blocks {
		if b.Kind == container.Text {
			f.texts.add(b.Key, b.Where, b.Data)
		}
	}
	f.clipTexts(format.Media())
	for _, p := range packets(file.Blocks) {
		f.xmp(p)
	}
	return f.report(file.Manifest)
}
