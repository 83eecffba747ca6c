package ffmpeg

import (
	"encoding/binary"
	"math"
)

// Transfer curves of high dynamic range, in ffmpeg's spelling.
const (
	transferPQ  = "smpte2084"
	transferHLG = "arib-std-b67"
)

// Luminances in cd/m².
const (
	// white is where diffuse white lies in HDR (ITU-R BT.2408-7, 3.1) and becomes about the display's white.
	white = 203
	// peak is the brightest that is kept apart: what phones and television are graded for.
	peak = 1000
	// peakPQ is the end of PQ's scale.
	peakPQ = 10_000
)

// mapping turns code values of 16 bits into sRGB of 8: high dynamic range by a knee above which highlights move closer
// together, and wide gamuts into that of BT.709.
type mapping struct {
	// linear has each code value's linear light. In HDR 1 is diffuse white.
	linear []float32
	hlg    bool
	hdr    bool
	gamut  [9]float32
}

// newMapping gives the mapping that a video needs, nil when its code values are sRGB's as near as eight bits tell.
func newMapping(v *Video) *mapping {
	gamut, wide := gamuts[v.Primaries]
	if !v.HDR && !wide {
		return nil
	}
	if v.HDR && !wide {
		gamut = gamuts["bt2020"]
	}
	m := &mapping{linear: make([]float32, 1<<16), hdr: v.HDR, hlg: v.Transfer == transferHLG, gamut: gamut}
	curve := linearSDR
	switch v.Transfer {
	case transferPQ:
		curve = func(x float64) float64 { return fromPQ(x) / white }
	case transferHLG:
		curve = fromHLG
	}
	for i := range m.linear {
		m.linear[i] = float32(curve(float64(i) / math.MaxUint16))
	}
	return m
}

// gamuts are the matrices from linear light in wide primaries to BT.709, row by row: for BT.2020 as in ITU-R BT.2407-0,
// 2; for the P3 primaries derived from their chromaticities (SMPTE EG 432-1) with the white point D65.
var gamuts = map[string][9]float32{
	"bt2020":   {1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187},
	"smpte432": {1.2249, -0.2247, 0, -0.0420, 1.0419, 0, -0.0197, -0.0786, 1.0979},
}

// develop maps raw pixels, 16 bits a channel and little endian, to 8 bits a channel.
func (m *mapping) develop(raw []byte) []byte {
	out := make([]byte, len(raw)/2)
	for i := 0; i+channels <= len(out); i += channels {
		var c [channels]float32
		for k := range c {
			c[k] = m.linear[binary.LittleEndian.Uint16(raw[2*(i+k):])]
		}
		if m.hlg {
			c = display(c)
		}
		if m.hdr {
			c = knee(c)
		}
		g := m.gamut
		out[i] = encode(g[0]*c[0] + g[1]*c[1] + g[2]*c[2])
		out[i+1] = encode(g[3]*c[0] + g[4]*c[1] + g[5]*c[2])
		out[i+2] = encode(g[6]*c[0] + g[7]*c[1] + g[8]*c[2])
	}
	return out
}

// display turns a scene's light into a display's, relative to diffuse white (ITU-R BT.2100-2, table 5: the OOTF of HLG for
// a display of 1,000 cd/m², gamma 1.2).
func display(c [channels]float32) [channels]float32 {
	luminance := 0.2627*c[0] + 0.6780*c[1] + 0.0593*c[2]
	if luminance <= 0 {
		return [channels]float32{}
	}
	gain := float32(math.Pow(float64(luminance), 0.2)) * peak / white
	return [channels]float32{c[0] * gain, c[1] * gain, c[2] * gain}
}

// knee brings the range up to peak into that up to diffuse white. The largest of the three channels decides by how much,
// so that colours keep their hue.
func knee(c [channels]float32) [channels]float32 {
	most := max(c[0], c[1], c[2])
	if most <= 0 {
		return c
	}
	at := most * (kneeSteps / kneeEnd)
	low := min(int(at), kneeSteps-1)
	part := min(at-float32(low), 1)
	gain := kneeGains[low]*(1-part) + kneeGains[low+1]*part
	if most > kneeEnd {
		gain = 1 / most
	}
	return [channels]float32{c[0] * gain, c[1] * gain, c[2] * gain}
}

// kneeEnd is peak relative to diffuse white.
const (
	kneeSteps = 4096
	kneeEnd   = float32(peak) / white
)

// kneeGains has the gain for each step from 0 to kneeEnd.
var kneeGains = func() (gains [kneeSteps + 1]float32) {
	gains[0] = 1
	for i := 1; i <= kneeSteps; i++ {
		light := float64(i) / kneeSteps * float64(kneeEnd)
		gains[i] = float32(compress(light*white) / (light * white))
	}
	return gains
}()

// compress is the curve of ITU-R BT.2390-10, 5.4.1, from a source of peak to a display whose white is diffuse white: a
// straight line and, in PQ's perceptual steps, a Hermite spline above its knee. Luminances are in cd/m².
func compress(luminance float64) float64 {
	top := toPQ(peak)
	most := toPQ(white) / top
	start := 1.5*most - 0.5
	x := toPQ(luminance) / top
	if x < start {
		return luminance
	}
	t := (min(x, 1) - start) / (1 - start)
	t2, t3 := t*t, t*t*t
	y := (2*t3-3*t2+1)*start + (t3-2*t2+t)*(1-start) + (-2*t3+3*t2)*most
	return fromPQ(y * top)
}

// Constants of PQ (ITU-R BT.2100-2, table 4).
const (
	pqM1 = 2610.0 / 16384
	pqM2 = 2523.0 / 4096 * 128
	pqC1 = 3424.0 / 4096
	pqC2 = 2413.0 / 4096 * 32
	pqC3 = 2392.0 / 4096 * 32
)

// fromPQ is the luminance in cd/m² of a code value from 0 to 1.
func fromPQ(code float64) float64 {
	p := math.Pow(max(code, 0), 1/pqM2)
	return peakPQ * math.Pow(max(p-pqC1, 0)/(pqC2-pqC3*p), 1/pqM1)
}

// toPQ is the code value of a luminance.
func toPQ(luminance float64) float64 {
	y := math.Pow(max(luminance, 0)/peakPQ, pqM1)
	return math.Pow((pqC1+pqC2*y)/(1+pqC3*y), pqM2)
}

// fromHLG is the scene light, 0 to 1, of a code value from 0 to 1 (ITU-R BT.2100-2, table 5, inverse OETF).
func fromHLG(code float64) float64 {
	const a, b, c = 0.17883277, 0.28466892, 0.55991073
	if code <= 0.5 {
		return code * code / 3
	}
	return (math.Exp((code-c)/a) + b) / 12
}

// linearSDR is the light of a code value of ordinary video, taken as sRGB's (IEC 61966-2-1): the screens on which video is
// seen show it so.
func linearSDR(code float64) float64 {
	if code <= 0.04045 {
		return code / 12.92
	}
	return math.Pow((code+0.055)/1.055, 2.4)
}

// encode is the sRGB code value of linear light, which is cut to 0 to 1.
func encode(light float32) byte {
	return srgb[int(min(max(light, 0), 1)*srgbSteps+0.5)]
}

const srgbSteps = 1 << 14

var srgb = func() (table [srgbSteps + 1]byte) {
	for i := range table {
		light := float64(i) / srgbSteps
		code := 12.92 * light
		if light > 0.0031308 {
			code = 1.055*math.Pow(light, 1/2.4) - 0.055
		}
		table[i] = byte(math.Round(code * math.MaxUint8))
	}
	return table
}()
