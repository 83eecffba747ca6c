//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// Profile describes an RGB matrix profile: the primaries as columns of XYZ adapted to D50, and one curve.
type Profile struct {
	Red, Green, Blue [3]float64
	// Gamma is the exponent of the curve; 0 stands for sRGB's own curve.
	Gamma float64
	// Tags are further tags, by name.
	Tags map[string][]byte
}

// SRGB describes sRGB itself.
func SRGB() Profile {
	return Profile{
		Red: [3]float64{0.4361, 0.2225, 0.0139}, Green: [3]float64{0.3851, 0.7169, 0.0971}, Blue: [3]float64{0.1431, 0.0606, 0.7141},
	}
}

// DisplayP3 describes the wider primaries of current phones, with sRGB's curve.
func DisplayP3() Profile {
	return Profile{
		Red: [3]float64{0.5151, 0.2412, -0.0011}, Green: [3]float64{0.2920, 0.6922, 0.0419}, Blue: [3]float64{0.1571, 0.0666, 0.7841},
	}
}

// ICC makes the profile (ICC.1, version 4.3).
func (p Profile) ICC() []byte {
	tags := map[string][]byte{
		"rXYZ": xyz(p.Red), "gXYZ": xyz(p.Green), "bXYZ": xyz(p.Blue), "wtpt": xyz([3]float64{0.9642, 1, 0.8249}),
		"rTRC": p.curve(), "gTRC": p.curve(), "bTRC": p.curve(),
		"desc": localized("test"), "cprt": localized("none"),
	}
	maps.Copy(tags, p.Tags)
	be := binary.BigEndian
	table := be.AppendUint32(nil, uint32(len(tags)))
	offset := 128 + 4 + 12*len(tags)
	var bodies []byte
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		body := tags[name]
		table = append(table, name...)
		table = be.AppendUint32(be.AppendUint32(table, uint32(offset+len(bodies))), uint32(len(body)))
		bodies = append(bodies, body...)
	}
	header := make([]byte, 128)
	be.PutUint32(header, uint32(offset+len(bodies)))
	copy(header[8:], "\x04\x30\x00\x00mntrRGB XYZ ")
	copy(header[36:], "acsp")
	copy(header[68:], xyz([3]float64{0.9642, 1, 0.8249})[8:])
	return append(append(header, table...), bodies...)
}

func (p Profile) curve() []byte {
	if p.Gamma != 0 {
		return append([]byte("para\x00\x00\x00\x00\x00\x00\x00\x00"), fixed(p.Gamma)...)
	}
	b := []byte("para\x00\x00\x00\x00\x00\x03\x00\x00")
	for _, v := range []float64{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045} {
		b = append(b, fixed(v)...)
	}
	return b
}

func xyz(v [3]float64) []byte {
	b := []byte("XYZ \x00\x00\x00\x00")
	for _, f := range v {
		b = append(b, fixed(f)...)
	}
	return b
}

// fixed makes an s15Fixed16Number.
func fixed(v float64) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(int32(math.Round(v*65536))))
}

func localized(ascii string) []byte {
	be := binary.BigEndian
	b := []byte("mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0CenUS")
	b = be.AppendUint32(be.AppendUint32(b, uint32(2*len(ascii))), 28)
	for _, c := range []byte(ascii) {
		b = append(b, 0, c)
	}
	return b
}
