package voice

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// fourier computes discrete Fourier transforms of one size, a power of two (Cooley and Tukey, 1965).
type fourier struct {
	size    int
	twiddle []complex128
}

func newFourier(size int) fourier {
	f := fourier{size: size, twiddle: make([]complex128, size/2)}
	for i := range f.twiddle {
		f.twiddle[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(size))
	}
	return f
}

// transform replaces x, of f's size, by its spectrum.
func (f fourier) transform(x []complex128) {
	shift := bits.LeadingZeros(uint(f.size)) + 1
	for i := range x {
		if j := int(bits.Reverse(uint(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for half := 1; half < f.size; half *= 2 {
		step := f.size / (2 * half)
		for start := 0; start < f.size; start += 2 * half {
			low, high := x[start:start+half], x[start+half:start+2*half]
			for k := range low {
				t := high[k] * f.twiddle[k*step]
				low[k], high[k] = low[k]+t, low[k]-t
			}
		}
	}
}
