package raster

import (
	"encoding/binary"
	"math"
	"strings"
)

// maxProfile is the longest ICC profile that is applied, in bytes. Large press profiles have about 3 MB.
const maxProfile = 4 << 20

// profileTags are the tags of an ICC profile (ICC.1:2022, section 7).
type profileTags map[string][]byte

// worthApplying says whether colours change when the profile is applied. Most files carry a profile that describes sRGB
// itself, and applying that costs as much again as decoding a JPEG. A profile that is malformed, or built of
// multi-process elements, whose number is unbounded, is left out: the pixels then count as sRGB.
func worthApplying(profile []byte) bool {
	tags := readProfile(profile)
	for name := range tags {
		if strings.HasPrefix(name, "D2B") || strings.HasPrefix(name, "B2D") {
			return false
		}
	}
	return tags != nil && !tags.isSRGB()
}

func readProfile(profile []byte) profileTags {
	const header, entry = 132, 12
	if len(profile) < header || string(profile[36:40]) != "acsp" {
		return nil
	}
	be := binary.BigEndian
	count := int(be.Uint32(profile[128:]))
	if count > (len(profile)-header)/entry {
		return nil
	}
	tags := make(profileTags, count)
	for i := range count {
		e := profile[header+i*entry:]
		offset, size := uint64(be.Uint32(e[4:])), uint64(be.Uint32(e[8:]))
		if offset+size > uint64(len(profile)) {
			return nil
		}
		tags[string(e[:4])] = profile[offset : offset+size]
	}
	return tags
}

// srgbColumns are sRGB's primaries adapted to D50, as profiles store them (IEC 61966-2-1, ICC.1:2022 annex E).
var srgbColumns = map[string][3]float64{
	"rXYZ": {0.4361, 0.2225, 0.0139},
	"gXYZ": {0.3851, 0.7169, 0.0971},
	"bXYZ": {0.1431, 0.0606, 0.7141},
}

// isSRGB knows a matrix profile with sRGB's primaries and curve, whoever made it.
func (t profileTags) isSRGB() bool {
	const tolerance = 0.002
	if _, lut := t["A2B0"]; lut {
		return false
	}
	for tag, want := range srgbColumns {
		body := t[tag]
		if len(body) < 20 || string(body[:4]) != "XYZ " {
			return false
		}
		for i, w := range want {
			if math.Abs(fixed(body[8+4*i:])-w) > tolerance {
				return false
			}
		}
	}
	return isSRGBCurve(t["rTRC"]) && isSRGBCurve(t["gTRC"]) && isSRGBCurve(t["bTRC"])
}

// fixed reads an s15Fixed16Number.
func fixed(b []byte) float64 {
	return float64(int32(binary.BigEndian.Uint32(b))) / 65536 //nolint:gosec // the field is signed
}

// isSRGBCurve compares a curve with sRGB's at points across its range, within half a step of 8 bits.
func isSRGBCurve(curve []byte) bool {
	const points, tolerance = 32, 0.5 / 255
	for i := range points + 1 {
		x := float64(i) / points
		y, ok := evaluate(curve, x)
		if !ok || math.Abs(y-srgbToLinear(x)) > tolerance {
			return false
		}
	}
	return true
}

func srgbToLinear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// evaluate applies a parametricCurveType of function 3, which is sRGB's form, or a sampled curveType (ICC.1:2022, 10.18
// and 10.6). Other forms are not sRGB's.
func evaluate(curve []byte, x float64) (y float64, ok bool) {
	be := binary.BigEndian
	switch {
	case len(curve) >= 32 && string(curve[:4]) == "para" && be.Uint16(curve[8:]) == 3:
		g, a, b, c, d := fixed(curve[12:]), fixed(curve[16:]), fixed(curve[20:]), fixed(curve[24:]), fixed(curve[28:])
		if x < d {
			return c * x, true
		}
		return math.Pow(a*x+b, g), true
	case len(curve) >= 16 && string(curve[:4]) == "curv":
		n := int(be.Uint32(curve[8:]))
		if n < 2 || n > (len(curve)-12)/2 {
			return 0, false
		}
		at := func(i int) float64 { return float64(be.Uint16(curve[12+2*i:])) / 65535 }
		position := x * float64(n-1)
		low := min(int(position), n-2)
		return at(low) + (at(low+1)-at(low))*(position-float64(low)), true
	}
	return 0, false
}
