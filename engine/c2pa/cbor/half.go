package cbor

import "math"

// Numbers of sixteen bits (IEEE 754 binary16) have one bit of sign, five of exponent and ten of fraction.
const (
	halfFraction = 10
	halfBias     = 15
	halfSpecial  = 31
)

// half is the number that sixteen bits stand for.
func half(bits uint16) float64 {
	fraction := float64(bits & (1<<halfFraction - 1))
	var f float64
	switch exponent := int(bits>>halfFraction) & halfSpecial; {
	case exponent == 0:
		f = math.Ldexp(fraction, 1-halfBias-halfFraction)
	case exponent != halfSpecial:
		f = math.Ldexp(fraction+1<<halfFraction, exponent-halfBias-halfFraction)
	case fraction != 0:
		f = math.NaN()
	default:
		f = math.Inf(1)
	}
	if bits&0x8000 != 0 {
		f = -f
	}
	return f
}

// toHalf is f in sixteen bits; ok is false when that would change it.
func toHalf(f float64) (bits uint16, ok bool) {
	const bias64, fraction64 = 1023, 52
	raw := math.Float64bits(f)
	sign := uint16(raw>>48) & 0x8000
	exponent := int(raw>>fraction64&0x7FF) - bias64 + halfBias
	fraction := raw & (1<<fraction64 - 1)
	switch {
	case math.IsNaN(f):
		return 0x7E00, true
	case math.IsInf(f, 0):
		bits = halfSpecial << halfFraction
	case exponent >= halfSpecial:
		return 0, false
	case exponent > 0:
		bits = uint16(exponent)<<halfFraction | uint16(fraction>>(fraction64-halfFraction))
	case exponent > -halfFraction: // The leading one becomes a bit of the fraction.
		bits = uint16((fraction | 1<<fraction64) >> (fraction64 - halfFraction + 1 - exponent)) //nolint:gosec // Ten bits.
	}
	return bits | sign, half(bits|sign) == f
}
