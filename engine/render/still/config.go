package still

import "fmt"

// Fidelity names how like its source a picture stays.
type Fidelity string

// Fidelities. The numbers behind the names are points of SSIMULACRA 2's published scale
// (github.com/cloudinary/ssimulacra2, README).
const (
	// Lossless keeps every pixel, those that are fully transparent too.
	Lossless Fidelity = "lossless"
	// VisuallyLossless is 90 points: an average observer sees no difference when the two flicker in one place at 1:1.
	VisuallyLossless Fidelity = "visually_lossless"
	// High is 85 points: no difference when one is put in the other's place at 1:1.
	High Fidelity = "high"
)

// Target is the least similarity, in points of SSIMULACRA 2; 100 is for equal pixels alone.
func (f Fidelity) Target() float64 {
	switch f {
	case VisuallyLossless:
		return 90
	case High:
		return 85
	default:
		return 100
	}
}

// Config is how hard a picture is pressed.
type Config struct {
	// Fidelity is the least likeness that the output may have.
	Fidelity Fidelity
	// Workers is how many cores one picture may use, from 1 to 64.
	Workers int
}

// DefaultConfig is the product's: visually lossless, two cores a picture.
func DefaultConfig() Config { return Config{Fidelity: VisuallyLossless, Workers: 2} }

// Validate names the first field that has a value it may not have.
func (c Config) Validate() error {
	switch c.Fidelity {
	case Lossless, VisuallyLossless, High:
	default:
		return fmt.Errorf("setting Fidelity is %q; it must be %s, %s or %s", c.Fidelity, Lossless, VisuallyLossless, High)
	}
	if c.Workers < 1 || c.Workers > 64 {
		return fmt.Errorf("setting Workers is %d; it must be from 1 to 64", c.Workers)
	}
	return nil
}
