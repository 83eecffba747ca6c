package ffmpeg

import "strings"

// highDefinition is the size from which video that does not name its matrix is taken for BT.709, as players do.
const highDefinition = 720

// isRGB says whether the samples are red, green and blue already. Containers name matrices for such tracks too, which the
// scale filter would apply.
func (v Video) isRGB() bool {
	for _, order := range []string{"rgb", "bgr", "gbr", "pal8"} {
		if strings.Contains(v.PixelFormat, order) {
			return true
		}
	}
	return false
}

// ScaleMatrix is the matrix by which the track's luma and chroma become RGB, as the value of the scale filter's
// in_color_matrix; "" where none must be named. Video that does not name one is taken for what players take it for.
func (v Video) ScaleMatrix() string {
	if v.isRGB() {
		return ""
	}
	switch v.Matrix {
	case "bt709", "fcc", "smpte240m":
		return v.Matrix
	case "smpte170m", "bt470bg":
		return "smpte170m"
	case "bt2020nc", "bt2020c":
		return "bt2020"
	case "gbr", "ycgco", "ycocg":
		return ""
	}
	switch {
	case v.HDR:
		return "bt2020"
	case min(v.CodedWidth, v.CodedHeight) >= highDefinition:
		return "bt709"
	}
	return "smpte170m"
}

// ScaleRange is the range of the samples where the file names it, as the value of the scale filter's in_range; "" where
// that filter is to go by the pixel format.
func (v Video) ScaleRange() string {
	if !v.isRGB() && (v.Range == "tv" || v.Range == "pc") {
		return v.Range
	}
	return ""
}
