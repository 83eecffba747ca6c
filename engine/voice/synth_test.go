package voice

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// sound is a test signal at Rate, 1 being full scale.
type sound []float64

func silence(secs float64) sound { return make(sound, int(secs*Rate)) }

func sine(hz, amplitude, secs float64) sound {
	s := silence(secs)
	for i := range s {
		s[i] = amplitude * math.Sin(2*math.Pi*hz*float64(i)/Rate)
	}
	return s
}

func whiteNoise(amplitude, secs float64) sound {
	r := rand.New(rand.NewPCG(1, 2))
	s := silence(secs)
	for i := range s {
		s[i] = amplitude * r.NormFloat64()
	}
	return s
}

// rumble is noise that falls by 6 dB an octave, as wind and traffic do.
func rumble(amplitude, secs float64) sound {
	s := whiteNoise(1, secs)
	var y float64
	for i, x := range s {
		y = 0.98*y + 0.2*x
		s[i] = amplitude * y
	}
	return s
}

func (s sound) then(t sound) sound { return append(append(sound{}, s...), t...) }

func (s sound) times(gain float64) sound {
	out := make(sound, len(s))
	for i, x := range s {
		out[i] = gain * x
	}
	return out
}

func (s sound) with(t sound) sound {
	out := make(sound, len(s))
	for i := range s {
		out[i] = s[i] + t[i]
	}
	return out
}

func (s sound) rms() float64 {
	var sum float64
	for _, x := range s {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(s)))
}

func (s sound) pcm() []int16 {
	out := make([]int16, len(s))
	for i, x := range s {
		out[i] = int16(math.Round(max(-32768, min(32767, x*32767))))
	}
	return out
}

func (s sound) reader() *bytes.Reader {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, s.pcm())
	return bytes.NewReader(b.Bytes())
}

// resonator is a formant (Klatt, 1980).
type resonator struct{ a, b, c, y1, y2 float64 }

func newResonator(hz, width float64) *resonator {
	r := math.Exp(-math.Pi * width / Rate)
	b, c := 2*r*math.Cos(2*math.Pi*hz/Rate), -r*r
	return &resonator{a: 1 - b - c, b: b, c: c}
}

func (r *resonator) next(x float64) float64 {
	y := r.a*x + r.b*r.y1 + r.c*r.y2
	r.y1, r.y2 = y, r.y1
	return y
}

// formants of a, i, u, e, o in Hz (Peterson and Barney, 1952).
var formants = [][3]float64{{730, 1090, 2440}, {270, 2290, 3010}, {300, 870, 2240}, {530, 1840, 2480}, {570, 840, 2410}}

// speech babbles: syllables of a hiss and a vowel with a moving pitch, and a breath after every eighth.
func speech(pitch, secs float64) sound {
	r := rand.New(rand.NewPCG(3, 4))
	out := silence(0)
	for n := 0; len(out) < int(secs*Rate); n++ {
		out = append(out, hiss(r, 0.06)...)
		out = append(out, vowel(formants[r.IntN(len(formants))], pitch*(1.15-0.04*float64(n%8)), 0.14)...)
		if n%8 == 7 {
			out = append(out, silence(0.5)...)
		}
	}
	out = out[:int(secs*Rate)]
	return out.times(0.1 / out.rms())
}

func hiss(r *rand.Rand, secs float64) sound {
	s := silence(secs)
	last := 0.0
	for i := range s {
		x := r.NormFloat64()
		s[i], last = 0.02*(x-last)*math.Sin(math.Pi*float64(i)/float64(len(s))), x
	}
	return s
}

func vowel(f [3]float64, pitch, secs float64) sound {
	s := silence(secs)
	first, second, third := newResonator(f[0], 80), newResonator(f[1], 90), newResonator(f[2], 120)
	phase, tilt := 1.0, 0.0
	for i := range s {
		glottis := 0.0
		if phase += pitch * (1 + 0.05*math.Sin(float64(i)/2000)) / Rate; phase >= 1 {
			glottis, phase = 1, phase-1
		}
		tilt = 0.9*tilt + glottis
		s[i] = third.next(second.next(first.next(tilt))) * math.Sin(math.Pi*float64(i)/float64(len(s)))
	}
	return s.times(0.15 / s.rms())
}
