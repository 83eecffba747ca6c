package ssimulacra2

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"
)

// distortions damage a copy of a picture more with a higher n (JPEG: with a lower one).
var distortions = map[string]func(tb testing.TB, m Picture, n int) Picture{
	"noise":     func(_ testing.TB, m Picture, n int) Picture { return noise(m, n) },
	"blur":      func(_ testing.TB, m Picture, n int) Picture { return blur(m, n) },
	"blocks":    func(_ testing.TB, m Picture, n int) Picture { return blocks(m, n) },
	"posterize": func(_ testing.TB, m Picture, n int) Picture { return posterize(m, n, false) },
	"dither":    func(_ testing.TB, m Picture, n int) Picture { return posterize(m, n, true) },
	"brighten":  func(_ testing.TB, m Picture, n int) Picture { return brighten(m, n) },
	"bleed":     func(_ testing.TB, m Picture, n int) Picture { return bleed(m, n) },
	"spot":      func(_ testing.TB, m Picture, n int) Picture { return spot(m, n) },
	"jpeg":      throughJPEG,
}

func copied(m Picture) Picture {
	m.Pix = bytes.Clone(m.Pix)
	return m
}

func noise(m Picture, n int) Picture {
	m = copied(m)
	r := generator(7)
	for i, v := range m.Pix {
		m.Pix[i] = clamp(int(v) + r.IntN(2*n+1) - n)
	}
	return m
}

// blur replaces each pixel by the mean of its neighbours up to n away.
func blur(m Picture, n int) Picture {
	out := copied(m)
	for i := range out.Pix {
		x, y, c := i/3%m.Width, i/3/m.Width, i%3
		sum, count := 0, 0
		for v := max(0, y-n); v <= min(m.Height-1, y+n); v++ {
			for u := max(0, x-n); u <= min(m.Width-1, x+n); u++ {
				sum += int(m.Pix[(v*m.Width+u)*3+c])
				count++
			}
		}
		out.Pix[i] = byte((sum + count/2) / count)
	}
	return out
}

// blocks rounds 4x4 Hadamard coefficients to multiples of n, as coarse block codecs do.
func blocks(m Picture, n int) Picture {
	m = copied(m)
	for y := 0; y+4 <= m.Height; y += 4 {
		for x := 0; x+4 <= m.Width; x += 4 {
			for c := range 3 {
				var v [16]int
				for i := range v {
					v[i] = int(m.Pix[((y+i/4)*m.Width+x+i%4)*3+c])
				}
				hadamard(&v)
				for i := range v {
					v[i] = (v[i] + 1<<20*n + n/2) / n * n
					v[i] -= 1 << 20 * n
				}
				hadamard(&v)
				for i := range v {
					m.Pix[((y+i/4)*m.Width+x+i%4)*3+c] = clamp((v[i] + 8) >> 4)
				}
			}
		}
	}
	return m
}

func hadamard(v *[16]int) {
	for step := 1; step < 16; step *= 2 {
		for i := range v {
			if i&step == 0 {
				v[i], v[i+step] = v[i]+v[i+step], v[i]-v[i+step]
			}
		}
	}
}

// posterize leaves every n-th value of each channel, with an ordered pattern of 4x4 when dithered.
func posterize(m Picture, n int, dithered bool) Picture {
	bayer := [16]int{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}
	m = copied(m)
	for i, v := range m.Pix {
		x, y := i/3%m.Width, i/3/m.Width
		offset := n / 2
		if dithered {
			offset = bayer[y%4*4+x%4] * n / 16
		}
		m.Pix[i] = clamp((int(v) + offset) / n * n)
	}
	return m
}

func brighten(m Picture, n int) Picture {
	m = copied(m)
	for i, v := range m.Pix {
		m.Pix[i] = clamp(int(v) + n)
	}
	return m
}

// bleed keeps the light of each pixel and takes its colour from the corner of its square of n.
func bleed(m Picture, n int) Picture {
	out := copied(m)
	for i := 0; i < len(m.Pix); i += 3 {
		x, y := i/3%m.Width, i/3/m.Width
		from := (y/n*n*m.Width + x/n*n) * 3
		delta := int(m.Pix[i+1]) - int(m.Pix[from+1])
		out.Pix[i] = clamp(int(m.Pix[from]) + delta)
		out.Pix[i+2] = clamp(int(m.Pix[from+2]) + delta)
	}
	return out
}

// spot blackens a square of n in the middle and leaves the rest as it is.
func spot(m Picture, n int) Picture {
	m = copied(m)
	for y := (m.Height - n) / 2; y < (m.Height+n)/2; y++ {
		row := m.Pix[(y*m.Width+(m.Width-n)/2)*3:]
		clear(row[:3*n])
	}
	return m
}

func throughJPEG(tb testing.TB, m Picture, n int) Picture {
	tb.Helper()
	src := image.NewRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i := range m.Width * m.Height {
		copy(src.Pix[4*i:], m.Pix[3*i:3*i+3])
		src.Pix[4*i+3] = 255
	}
	var file bytes.Buffer
	require.NoError(tb, jpeg.Encode(&file, src, &jpeg.Options{Quality: n}))
	decoded, err := jpeg.Decode(&file)
	require.NoError(tb, err)
	out := Picture{Width: m.Width, Height: m.Height}
	for y := range m.Height {
		for x := range m.Width {
			r, g, b, _ := decoded.At(x, y).RGBA()
			out.Pix = append(out.Pix, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return out
}
