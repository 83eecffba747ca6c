package ssimulacra2

// #cgo CFLAGS: -O3
// #include "kernels.h"
import "C"

// The blur is a Gaussian of standard deviation 1.5 as a sum of three truncated cosines (D. Charalampidis, "Recursive
// Implementation of the Gaussian Filter Using Truncated Cosine Functions", IEEE Transactions on Signal Processing
// 64(14), 2016). The reference runs it as a recursion of radius 5, whose rounding errors build up along a row: they
// cost its scores some hundredths at 300 pixels and a point or more at 3,000. The cosines are zero at the radius, so
// the same filter is a convolution with nine taps, which has no such errors.
const (
	reach  = C.SSIM2_REACH
	window = C.SSIM2_WINDOW
)

// Error maps of one channel at one scale.
const (
	structural = C.SSIM2_STRUCTURAL // what SSIM sees
	artefact   = C.SSIM2_ARTEFACT   // edges that the original does not have
	lost       = C.SSIM2_LOST       // edges that only the original has
	maps       = C.SSIM2_MAPS
	norms      = C.SSIM2_NORMS
)

// The kernels are C because Go's compiler makes no vector instructions: the same loops in Go took five times as long.
// They get rows of one length, which the callers slice for them; no pointer is kept.

func at(row []float32) *C.float { return (*C.float)(&row[0]) }

// toXYB turns linear light into X, Y and B-Y of JPEG XL (ISO/IEC 18181-1), stretched and moved to lie between 0 and 1.
func toXYB(light, xyb *[3][]float32) {
	C.ssim2_xyb(at(light[0]), at(light[1]), at(light[2]), at(xyb[0]), at(xyb[1]), at(xyb[2]), C.size_t(len(xyb[0])))
}

// average halves two rows both ways. An odd last column counts twice.
func average(upper, lower, out []float32) {
	C.ssim2_average(at(upper), at(lower), at(out), C.size_t(len(upper)))
}

// combine fills the planes of power and departure.
func combine(a, b, power, departure []float32) {
	C.ssim2_combine(at(a), at(b), at(power), at(departure), C.size_t(len(a)))
}

// blurColumns blurs downwards, around the middle of nine rows. The blur along the row is part of the error maps.
func blurColumns(r *[window][]float32, out []float32) {
	C.ssim2_columns(at(r[0]), at(r[1]), at(r[2]), at(r[3]), at(r[4]), at(r[5]), at(r[6]), at(r[7]), at(r[8]), at(out),
		C.size_t(len(out)))
}

// addStructure adds up 1 - SSIM without its luminance denominator, which would count darkness twice in a colour space
// that is perceptual already. With the means m and n, q = (m-n)², the blurred squared difference d and the variances v,
// which include SSIM's second constant, 1 - (1-q)(1-(d-q)/v) is q + (1-q)(d-q)/v: no small difference of large numbers.
func addStructure(blurred *[planes][]float32, n int, sums *errorSums) {
	C.ssim2_structure(at(blurred[original]), at(blurred[changed]), at(blurred[power]), at(blurred[departure]),
		C.size_t(n), (*C.double)(&sums[0][0]))
}

// addEdges compares by how much each pixel of the rows a and b stands out from its surroundings.
func addEdges(a, b []float32, blurred *[planes][]float32, sums *errorSums) {
	C.ssim2_edges(at(a), at(b), at(blurred[original]), at(blurred[changed]), C.size_t(len(a)), (*C.double)(&sums[0][0]))
}
