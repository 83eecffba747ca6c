package ssimulacra2

import "math/rand/v2"

// The tests draw their pictures with whole numbers alone, so that they come out the same on every machine; the
// reference's scores in testdata belong to exactly these pixels.

// drawings are the originals by name.
var drawings = map[string]func(x, y, w, h int) (r, g, b int){
	"landscape": landscape,
	"chart":     chart,
	"gradient":  gradient,
	"fabric":    fabric,
}

func draw(name string, w, h int) Picture {
	m := Picture{Width: w, Height: h, Pix: make([]byte, 0, 3*w*h)}
	for y := range h {
		for x := range w {
			r, g, b := drawings[name](x, y, w, h)
			m.Pix = append(m.Pix, clamp(r), clamp(g), clamp(b))
		}
	}
	return m
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }

// grain is a noise that depends on the place alone, -64 to 63; it changes from one cell of the given size to the next.
func grain(x, y, cell, seed int) int {
	v := uint32(x/cell)*2654435761 ^ uint32(y/cell)*2246822519 ^ uint32(seed)*3266489917
	v ^= v >> 15
	v *= 2246822519
	v ^= v >> 13
	v *= 3266489917
	return int(v>>25&127) - 64
}

// landscape stands for a photograph: a sky that fades, a sun, hills, and grass of fine and coarse grain.
func landscape(x, y, w, h int) (r, g, b int) {
	u, v := x*1000/w, y*1000/h
	if d := (u-720)*(u-720) + (v-210)*(v-210); d < 6400 {
		return 255, 236 - d/120, 170 - d/60
	}
	ridge := 520 + (u-400)*(u-400)/2600 - (u%250)*(250-u%250)/260
	switch {
	case v < ridge:
		return 92 + v/8 + grain(x, y, 1, 1)/32, 142 + v/9 + grain(x, y, 1, 2)/32, 214 + v/30 + grain(x, y, 1, 3)/32
	case v < ridge+160:
		shade := grain(x, y, 3, 4)/4 + grain(x, y, 17, 5)/6
		return 62 + shade, 84 + shade, 70 + shade*2/3
	default:
		blade := grain(x, y/2, 1, 6)/3 + grain(x, y, 5, 7)/4 + grain(x, y, 40, 8)/5
		return 84 + blade, 122 + blade + grain(x, y, 1, 9)/8, 48 + blade/2
	}
}

// chart stands for a drawing: flat colours, hard edges, fine lines and rows of marks like text.
func chart(x, y, w, h int) (r, g, b int) {
	u, v := x*16/w, y*12/h
	bar := 2 + (u*7+3)%9
	switch {
	case y%16 == 0 || x%64 == 0:
		return 208, 210, 216
	case u%2 == 1 && v >= 11-bar && v < 11:
		colours := [4][3]int{{214, 54, 44}, {38, 112, 190}, {246, 178, 26}, {40, 150, 90}}
		c := colours[u/2%4]
		return c[0], c[1], c[2]
	case v < 2 && y%12 > 3 && grain(x/2, y/3, 1, 11) > 10:
		return 24, 24, 30
	default:
		return 250, 250, 248
	}
}

// gradient has nothing but smooth changes of light and hue, in which banding shows.
func gradient(x, y, w, h int) (r, g, b int) {
	u, v := x*255/w, y*255/h
	return (u + v) / 2, 40 + v*(255-u)/255/2 + u/4, 255 - u/2 - v/4
}

// fabric is a fine, strongly coloured weave from one end to the other.
func fabric(x, y, _, _ int) (r, g, b int) {
	warp, weft := (x%6)*(5-x%6)*9, (y%8)*(7-y%8)*5
	return 60 + warp*2 + grain(x, y, 2, 21)/5, 50 + (warp+weft)/2, 70 + weft*2 + grain(x, y, 3, 22)/4
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 42)) }
