package dwtdct

import "math"

// tail is the chance that Student's t with df degrees of freedom exceeds t, which is positive: half the regularised
// incomplete beta function of df/(df+t²), df/2 and 1/2.
func tail(t, df float64) float64 {
	return betaInc(df/2, 0.5, df/(df+t*t)) / 2
}

// betaInc is the regularised incomplete beta function by its continued fraction (DLMF 8.17.22, evaluated by Lentz's
// method).
func betaInc(a, b, x float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	if x > (a+1)/(a+b+2) {
		return 1 - front*fraction(b, a, 1-x)/b
	}
	return front * fraction(a, b, x) / a
}

func fraction(a, b, x float64) float64 {
	const steps, enough, tiny = 300, 1e-12, 1e-300
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	h := d
	for m := 1; m <= steps; m++ {
		k := float64(m)
		even := k * (b - k) * x / ((a + 2*k - 1) * (a + 2*k))
		d = 1 / away(1+even*d)
		c = away(1 + even/c)
		h *= d * c
		odd := -(a + k) * (a + b + k) * x / ((a + 2*k) * (a + 2*k + 1))
		d = 1 / away(1+odd*d)
		c = away(1 + odd/c)
		h *= d * c
		if math.Abs(d*c-1) < enough {
			break
		}
	}
	return h
}
