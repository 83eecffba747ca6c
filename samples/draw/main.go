// Command draw makes the sample pictures: a small landscape at noon and at dusk. The second is given the XMP packet by
// which generators label their work (IPTC Photo Metadata Standard, Digital Source Type).
package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"log"
	"math"
	"math/rand/v2"
	"os"
)

const (
	width, height = 960, 640
	label         = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ` +
		`Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"/>` +
		`</rdf:RDF></x:xmpmeta>`
)

func main() {
	write("plain.jpg", encode(scene(1, color.RGBA{120, 170, 225, 255}, color.RGBA{235, 240, 245, 255})))
	write("labelled.jpg", withXMP(encode(scene(2, color.RGBA{48, 40, 92, 255}, color.RGBA{250, 150, 90, 255})), label))
}

func write(name string, data []byte) {
	if err := os.WriteFile(name, data, 0o644); err != nil { //nolint:gosec // a picture that everybody may read
		log.Fatal(err)
	}
}

// scene draws hills under a sky that goes from top to horizon, with the grain of a sensor.
func scene(seed uint64, top, horizon color.RGBA) image.Image {
	rng := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the same picture every time
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := mix(top, horizon, float64(y)/(height*0.7))
			for ridge := range 4 {
				if float64(y) > crest(float64(x), ridge, seed) {
					c = mix(color.RGBA{70, 96, 88, 255}, horizon, 0.6-0.2*float64(ridge))
				}
			}
			img.SetRGBA(x, y, grain(c, rng))
		}
	}
	return img
}

// crest is the height of a ridge line at x, a sum of a few waves.
func crest(x float64, ridge int, seed uint64) float64 {
	base := height * (0.45 + 0.13*float64(ridge))
	phase := float64(seed)*1.7 + float64(ridge)*2.3
	return base + 34*math.Sin(x/150+phase) + 15*math.Sin(x/47+2*phase) + 5*math.Sin(x/13+3*phase)
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	t = min(max(t, 0), 1)
	blend := func(p, q uint8) uint8 { return uint8(float64(p)*(1-t) + float64(q)*t) }
	return color.RGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 255}
}

func grain(c color.RGBA, rng *rand.Rand) color.RGBA {
	n := rng.NormFloat64() * 3
	shift := func(v uint8) uint8 { return uint8(min(max(float64(v)+n, 0), 255)) }
	return color.RGBA{shift(c.R), shift(c.G), shift(c.B), 255}
}

func encode(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 82}); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}

// withXMP puts an APP1 segment with an XMP packet behind the start of a JPEG (XMP specification part 3, section 1.1.3).
func withXMP(jpg []byte, packet string) []byte {
	payload := append([]byte("http://ns.adobe.com/xap/1.0/\x00"), packet...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(payload)+2)) //nolint:gosec // a few hundred bytes
	return append(append(append([]byte{}, jpg[:2]...), append(segment, payload...)...), jpg[2:]...)
}
