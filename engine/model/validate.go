package model

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Limits of a spec.
const (
	minSide, maxSide = 16, 1024
	// A window of a tenth of a second to one of 30 seconds.
	minSamples, maxSamples = VoiceRate / 10, 30 * VoiceRate
	maxPatches             = 64
	maxClasses             = 1000
	maxPoints              = 1000
	maxText                = 100
	maxMean                = 1000
	sha256Bytes            = 32
	channels               = 3
)

// profilesOf are the kinds of media that a model of the lane is asked about.
func profilesOf(lane Lane) []Profile {
	if lane == Voice {
		return []Profile{Speech}
	}
	return []Profile{Image, Video}
}

// validate names the field that is wrong, its value and what is allowed.
func (s Spec) validate(lane Lane) error {
	if s.Format != Format {
		return fmt.Errorf("format is %d: %d is needed", s.Format, Format)
	}
	if s.Lane != lane {
		return fmt.Errorf("lane is %q: this setting takes a model of lane %q", s.Lane, lane)
	}
	for _, text := range []struct{ name, value string }{{"name", s.Name}, {"version", s.Version}, {"licence", s.Licence}} {
		if err := validateText(text.name, text.value); err != nil {
			return err
		}
	}
	if sum, err := hex.DecodeString(s.SHA256); s.SHA256 != "" && (err != nil || len(sum) != sha256Bytes || s.SHA256 != strings.ToLower(s.SHA256)) {
		return fmt.Errorf("sha256 is %q: the 64 lower-case hex digits of model.onnx's SHA-256 are needed, or none", s.SHA256)
	}
	check := s.validatePixels
	if lane == Voice {
		check = s.validateVoice
	}
	return errors.Join(check(), s.Output.validate(), s.validateProfiles())
}

func validateText(name, value string) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '@' }
	if value == "" || len(value) > maxText || strings.ContainsFunc(value, odd) {
		return fmt.Errorf("%s is %q: 1 to %d printable characters without @ are needed", name, value, maxText)
	}
	return nil
}

func (s Spec) validatePixels() error {
	in := s.Input
	if in.Name == "" {
		return errNoName("input.name")
	}
	if in.Layout != "nchw" && in.Layout != "nhwc" {
		return fmt.Errorf(`input.layout is %q: "nchw" or "nhwc" is needed`, in.Layout)
	}
	for _, side := range []struct {
		name  string
		value int
	}{{"input.width", in.Width}, {"input.height", in.Height}} {
		if err := within(side.name, side.value, minSide, maxSide); err != nil {
			return err
		}
	}
	if err := in.validateScale(); err != nil {
		return err
	}
	if in.Samples != 0 || in.Rate != 0 {
		return errors.New("input.samples and input.rate are for voice models: leave them out")
	}
	return s.Crop.validate()
}

func (in Input) validateScale() error {
	for _, list := range []struct {
		name   string
		values []float64
	}{{"input.mean", in.Mean}, {"input.std", in.Std}} {
		if len(list.values) != channels {
			return fmt.Errorf("%s has %d values: one each for red, green and blue is needed", list.name, len(list.values))
		}
	}
	for i, mean := range in.Mean {
		// Far off what pixels are, nothing of them is left in a float32.
		if math.Abs(mean) > maxMean {
			return fmt.Errorf("input.mean[%d] is %g: -%d to %d is needed, of values of 0 to 1", i, mean, maxMean, maxMean)
		}
	}
	for i, std := range in.Std {
		// What is divided by less than a float32 tells apart would leave its range.
		if std < 1e-6 {
			return fmt.Errorf("input.std[%d] is %g: a number above 0 (0.000001 or more) is needed", i, std)
		}
	}
	return nil
}

func (c Crop) validate() error {
	switch c.Policy {
	case Patches:
		return within("crop.count", c.Count, 1, maxPatches)
	case Resize:
		if c.Count > 1 || c.Count < 0 {
			return fmt.Errorf(`crop.count is %d: policy "resize" shows the picture once, so leave it out`, c.Count)
		}
		return nil
	}
	return fmt.Errorf("crop.policy is %q: %q or %q is needed", c.Policy, Patches, Resize)
}

func (s Spec) validateVoice() error {
	in := s.Input
	if in.Name == "" {
		return errNoName("input.name")
	}
	if in.Layout != "nt" {
		return fmt.Errorf(`input.layout is %q: "nt" is needed`, in.Layout)
	}
	if err := within("input.samples", in.Samples, minSamples, maxSamples); err != nil {
		return err
	}
	if in.Rate != VoiceRate {
		return fmt.Errorf("input.rate is %d: %d is needed, at which sound is decoded", in.Rate, VoiceRate)
	}
	if in.Width != 0 || in.Height != 0 || in.Mean != nil || in.Std != nil {
		return errors.New("input.width, height, mean and std are for pixels models: leave them out")
	}
	if s.Crop != (Crop{}) {
		return errors.New("crop is for pixels models: leave it out")
	}
	return nil
}

func (o Output) validate() error {
	if o.Name == "" {
		return errNoName("output.name")
	}
	switch o.Kind {
	case Logit, Probability:
		if o.AI != 0 || o.Other != nil {
			return fmt.Errorf("output.ai and output.other are for kind %q: leave them out with kind %q", Logits, o.Kind)
		}
		return nil
	case Logits:
	default:
		return fmt.Errorf("output.kind is %q: %q, %q or %q is needed", o.Kind, Logit, Probability, Logits)
	}
	if err := within("output.ai", o.AI, 0, maxClasses-1); err != nil || o.Other == nil {
		return err
	}
	if *o.Other == o.AI {
		return fmt.Errorf("output.other is %d, as output.ai is: another class is needed", *o.Other)
	}
	return within("output.other", *o.Other, 0, maxClasses-1)
}

func (s Spec) validateProfiles() error {
	needed := profilesOf(s.Lane)
	for profile := range s.Profiles {
		if !slices.Contains(needed, profile) {
			return fmt.Errorf("profiles holds %q: a %s model has %q", profile, s.Lane, needed)
		}
	}
	for _, profile := range needed {
		calibration, found := s.Profiles[profile]
		if !found {
			return fmt.Errorf("profiles lacks %q: a %s model has %q", profile, s.Lane, needed)
		}
		if err := calibration.validate(); err != nil {
			return fmt.Errorf("profiles.%s.%w", profile, err)
		}
	}
	return nil
}

func (c Calibration) validate() error {
	if err := within("points: how many", len(c.Points), 1, maxPoints); err != nil {
		return err
	}
	for i, point := range c.Points {
		raw, probability := point[0], point[1]
		if probability < 0 || probability > 1 {
			return fmt.Errorf("points[%d] has the probability %g: 0 to 1 is needed", i, probability)
		}
		if i == 0 {
			continue
		}
		if before := c.Points[i-1]; raw <= before[0] || probability < before[1] {
			return fmt.Errorf("points[%d] is [%g, %g] after [%g, %g]: raw scores that rise are needed, and probabilities that do not fall",
				i, raw, probability, before[0], before[1])
		}
	}
	if b := c.Band; b.Real < 0 || b.AI > 1 || b.Real > b.AI {
		return fmt.Errorf("band is real %g, ai %g: 0 <= real <= ai <= 1 is needed", b.Real, b.AI)
	}
	return nil
}

func errNoName(field string) error {
	return fmt.Errorf("%s is empty: the name of the network's tensor is needed", field)
}

func within(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("%s is %d: %d to %d is needed", name, value, low, high)
	}
	return nil
}
