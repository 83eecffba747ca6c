// Package exif reads the few EXIF tags that speak of an image's origin. It reads strictly and by itself, because the
// text of UserComment matters to the letter: line breaks, either byte order, and lengths far above those that general
// readers accept. It judges nothing.
package exif

import "veracity/engine/provenance/ifd"

// Tags by their numbers in Exif 2.32 (CIPA DC-008), section 4.6.
const (
	tagDocumentName     = 0x010D
	tagImageDescription = 0x010E
	tagMake             = 0x010F
	tagModel            = 0x0110
	tagSoftware         = 0x0131
	tagArtist           = 0x013B
	tagExifIFD          = 0x8769
	tagExposureTime     = 0x829A
	tagFNumber          = 0x829D
	tagSensitivity      = 0x8827
	tagFocalLength      = 0x920A
	tagUserComment      = 0x9286
)

// Tags are the texts of one EXIF block, as UTF-8 and trimmed; empty when absent.
type Tags struct {
	DocumentName     string
	ImageDescription string
	Make             string
	Model            string
	Software         string
	Artist           string
	UserComment      string
	// Exposure says that the block has at least two of exposure time, f-number, sensitivity and focal length: what a
	// camera writes and an editor rarely does.
	Exposure bool
}

// Parse reads a TIFF structure, without the "Exif" header of JPEG. False: it is not one.
func Parse(tiff []byte) (Tags, bool) {
	f, ok := ifd.Open(tiff)
	if !ok {
		return Tags{}, false
	}
	main := f.Directory(f.First())
	tags := Tags{
		DocumentName:     main[tagDocumentName].Text(),
		ImageDescription: main[tagImageDescription].Text(),
		Make:             main[tagMake].Text(),
		Model:            main[tagModel].Text(),
		Software:         main[tagSoftware].Text(),
		Artist:           main[tagArtist].Text(),
	}
	var detail map[uint16]ifd.Entry
	if pointer := main[tagExifIFD].Uint(); pointer != 0 {
		detail = f.Directory(pointer)
	}
	// Some writers put UserComment into the main directory, where it does not belong.
	for _, dir := range []map[uint16]ifd.Entry{detail, main} {
		if entry, ok := dir[tagUserComment]; ok && tags.UserComment == "" && len(entry.Data) <= ifd.MaxText {
			tags.UserComment = decodeComment(entry.Data, f.Order())
		}
	}
	tags.Exposure = hasExposure(detail)
	return tags, true
}

func hasExposure(dir map[uint16]ifd.Entry) bool {
	n := 0
	for _, tag := range []uint16{tagExposureTime, tagFNumber, tagSensitivity, tagFocalLength} {
		if len(dir[tag].Data) > 0 {
			n++
		}
	}
	return n >= 2
}
