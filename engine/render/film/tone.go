package film

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"veracity/engine/ffmpeg"
)

// tone maps a source's code values to those of ordinary video: high dynamic range by a knee above which highlights move
// closer together, wide gamuts into that of BT.709. It is the mapping by which package ffmpeg reads single pictures, so
// that a check sees in the output what it saw in the source; here it is written down as a cube for ffmpeg's lut3d filter,
// which every build has and which is quicker than the filters for linear light.
type tone struct {
	hdr   bool
	light func(code float64) float64
	// scene says that light is a scene's (HLG) and not a display's.
	scene bool
	gamut [3]colour
}

type colour [3]float64

// Luminances in cd/m²: where diffuse white lies in HDR (ITU-R BT.2408-7, 3.1), the brightest that is kept apart, and the
// end of PQ's scale.
const (
	white  = 203
	peak   = 1000
	peakPQ = 10_000
)

// gamuts are the rows of the matrices from linear light in wide primaries to BT.709: ITU-R BT.2407-0, 2, and for P3 with
// the white point D65 derived from its chromaticities (SMPTE EG 432-1).
var gamuts = map[string][3]colour{
	"bt2020":   {{1.6605, -0.5876, -0.0728}, {-0.1246, 1.1329, -0.0083}, {-0.0182, -0.1006, 1.1187}},
	"smpte432": {{1.2249, -0.2249, 0}, {-0.0421, 1.0421, 0}, {-0.0196, -0.0786, 1.0983}},
}

// newTone is nil for a source whose code values are ordinary video's.
func newTone(v ffmpeg.Video) *tone {
	gamut, wide := gamuts[v.Primaries]
	if !v.HDR && !wide {
		return nil
	}
	if !wide {
		gamut = gamuts["bt2020"]
	}
	t := &tone{hdr: v.HDR, light: fromSRGB, gamut: gamut}
	switch v.Transfer {
	case "smpte2084":
		t.light = func(code float64) float64 { return fromPQ(code) / white }
	case "arib-std-b67":
		t.light, t.scene = fromHLG, true
	}
	return t
}

// mapped is a code value's colour in ordinary video. Both are 0 to 1.
func (t *tone) mapped(code colour) colour {
	var c colour
	for i := range c {
		c[i] = t.light(code[i])
	}
	if t.scene {
		c = display(c)
	}
	if t.hdr {
		c = knee(c)
	}
	var out colour
	for i, row := range t.gamut {
		out[i] = toSRGB(min(max(row[0]*c[0]+row[1]*c[1]+row[2]*c[2], 0), 1))
	}
	return out
}

// cubeSide is the number of steps on each side of the cube; between them lut3d interpolates.
const cubeSide = 48

// writeFile writes the cube in the .cube format (Adobe, Cube LUT Specification 1.0), red fastest.
func (t *tone) writeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the colour cube: %w", err)
	}
	err = t.write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write the colour cube: %w", err)
	}
	return nil
}

func (t *tone) write(to io.Writer) error {
	w := bufio.NewWriter(to)
	_, _ = fmt.Fprintf(w, "LUT_3D_SIZE %d\n", cubeSide) // Flush answers the first error.
	var line []byte
	step := func(i int) float64 { return float64(i) / (cubeSide - 1) }
	for b := range cubeSide {
		for g := range cubeSide {
			for r := range cubeSide {
				c := t.mapped(colour{step(r), step(g), step(b)})
				line = line[:0]
				for i, end := range []byte("  \n") {
					line = append(strconv.AppendFloat(line, c[i], 'f', 6, 64), end)
				}
				_, _ = w.Write(line)
			}
		}
	}
	return w.Flush()
}

// display turns a scene's light into a display's, relative to diffuse white (ITU-R BT.2100-2, table 5: the OOTF of HLG for
// a display of 1,000 cd/m², gamma 1.2).
func display(c colour) colour {
	luminance := 0.2627*c[0] + 0.6780*c[1] + 0.0593*c[2]
	if luminance <= 0 {
		return colour{}
	}
	return c.times(math.Pow(luminance, 0.2) * peak / white)
}

// knee brings the range up to peak into that up to diffuse white. The largest channel decides by how much, so that colours
// keep their hue.
func knee(c colour) colour {
	most := max(c[0], c[1], c[2])
	if most <= 0 {
		return c
	}
	return c.times(compress(min(most*white, peak)) / white / most)
}

func (c colour) times(gain float64) colour { return colour{c[0] * gain, c[1] * gain, c[2] * gain} }

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
	return fromPQ(((2*t3-3*t2+1)*start + (t3-2*t2+t)*(1-start) + (3*t2-2*t3)*most) * top)
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

// fromHLG is the scene light, 0 to 1, of a code value (ITU-R BT.2100-2, table 5, inverse OETF).
func fromHLG(code float64) float64 {
	const a, b, c = 0.17883277, 0.28466892, 0.55991073
	if code <= 0.5 {
		return code * code / 3
	}
	return (math.Exp((code-c)/a) + b) / 12
}

// fromSRGB is the light of a code value of ordinary video, taken as sRGB's (IEC 61966-2-1): the screens on which video is
// seen show it so.
func fromSRGB(code float64) float64 {
	if code <= 0.04045 {
		return code / 12.92
	}
	return math.Pow((code+0.055)/1.055, 2.4)
}

func toSRGB(light float64) float64 {
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return 1.055*math.Pow(light, 1/2.4) - 0.055
}
