package ffmpeg

import (
	"encoding/binary"
	"math"
	"sync"
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

// Grade maps the code values of a track with high dynamic range or a wide gamut to sRGB: light above a knee moves closer
// together until it fits below the display's white, and colours beyond BT.709 are cut to it.
type Grade struct {
	curve    func(code float64) float64
	hdr, hlg bool
	gamut    [9]float32
	// linear has the light of each code value of 16 bits, made when the first picture needs it.
	linear func() []float32
}

// Grade is the mapping that the track's pictures need, nil when their code values are sRGB's as near as eight bits tell.
func (v Video) Grade() *Grade {
	gamut, wide := gamuts[v.Primaries]
	if !v.HDR && !wide {
		return nil
	}
	if !wide {
		gamut = gamuts["bt2020"]
	}
	g := &Grade{curve: linearSDR, hdr: v.HDR, hlg: v.Transfer == transferHLG, gamut: gamut}
	switch v.Transfer {
	case transferPQ:
		g.curve = func(code float64) float64 { return fromPQ(code) / white }
	case transferHLG:
		g.curve = fromHLG
	}
	g.linear = sync.OnceValue(func() []float32 {
		table := make([]float32, 1<<16)
		for i := range table {
			table[i] = float32(g.curve(float64(i) / math.MaxUint16))
		}
		return table
	})
	return g
}

// Map gives the sRGB code values, red, green and blue from 0 to 1, of one pixel's own, also from 0 to 1.
func (g *Grade) Map(red, green, blue float64) (r, gr, b float64) {
	light := g.light([channels]float32{float32(g.curve(red)), float32(g.curve(green)), float32(g.curve(blue))})
	return encodeSDR(light[0]), encodeSDR(light[1]), encodeSDR(light[2])
}

// light turns a pixel's light into the display's, 0 to 1 for what it can show.
func (g *Grade) light(c [channels]float32) [channels]float32 {
	if g.hlg {
		c = display(c)
	}
	if g.hdr {
		c = knee(c)
	}
	m := &g.gamut
	return [channels]float32{
		m[0]*c[0] + m[1]*c[1] + m[2]*c[2], m[3]*c[0] + m[4]*c[1] + m[5]*c[2], m[6]*c[0] + m[7]*c[1] + m[8]*c[2],
	}
}

// develop maps raw pixels, 16 bits a channel and little endian, to 8 bits a channel.
func (g *Grade) develop(raw []byte) []byte {
	linear := g.linear()
	out := make([]byte, len(raw)/2)
	for i := 0; i+channels <= len(out); i += channels {
		var c [channels]float32
		for k := range c {
			c[k] = linear[binary.LittleEndian.Uint16(raw[2*(i+k):])]
		}
		for k, light := range g.light(c) {
			out[i+k] = srgb[int(min(max(light, 0), 1)*srgbSteps+0.5)]
		}
	}
	return out
}

// gamuts are the matrices from linear light in wide primaries to BT.709, row by row: for BT.2020 as in ITU-R BT.2407-0,
// 2; for the P3 primaries derived from their chromaticities (SMPTE EG 432-1) with the white point D65.
var gamuts = map[string][9]float32{
	"bt2020":   {1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187},
	"smpte432": {1.2249, -0.2249, 0, -0.0421, 1.0421, 0, -0.0196, -0.0786, 1.0983},
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

// encodeSDR is the sRGB code value of linear light, which is cut to 0 to 1.
func encodeSDR(light float32) float64 {
	l := min(max(float64(light), 0), 1)
	if l <= 0.0031308 {
		return 12.92 * l
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// srgb has the code values of light in steps so fine that the darkest ones differ by less than one.
var srgb = func() (table [srgbSteps + 1]byte) {
	for i := range table {
		table[i] = byte(math.Round(encodeSDR(float32(i)/srgbSteps) * math.MaxUint8))
	}
	return table
}()

const srgbSteps = 1 << 14
