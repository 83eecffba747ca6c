package media

import (
	"fmt"
	"math"

	"veracity/engine"
)

// Prices are what calls cost, in credits.
type Prices struct {
	ImageCheck    int64
	ImageOptimize int64
	// A video check costs VideoCheck for each started VideoCheckSeconds, and so on.
	VideoCheck, VideoCheckSeconds       int64
	VideoOptimize, VideoOptimizeSeconds int64
	VoiceCheck, VoiceCheckSeconds       int64
}

// DefaultPrices is the price list.
func DefaultPrices() Prices {
	return Prices{
		ImageCheck: 1, ImageOptimize: 2,
		VideoCheck: 1, VideoCheckSeconds: 5,
		VideoOptimize: 1, VideoOptimizeSeconds: 1,
		VoiceCheck: 1, VoiceCheckSeconds: 10,
	}
}

// Prices is the price list in force.
func (s *Service) Prices() Prices { return s.cfg.Prices }

// Validate refuses prices below 1 credit.
func (p Prices) Validate() error {
	for _, n := range []int64{
		p.ImageCheck, p.ImageOptimize, p.VideoCheck, p.VideoCheckSeconds,
		p.VideoOptimize, p.VideoOptimizeSeconds, p.VoiceCheck, p.VoiceCheckSeconds,
	} {
		if n < 1 {
			return fmt.Errorf("a credit price is %d: allowed are whole numbers from 1", n)
		}
	}
	return nil
}

// perStarted is the price of a length: credits for each started unit of that many seconds, at least one unit.
func perStarted(credits, unit int64, seconds float64) int64 {
	return credits * max(1, int64(math.Ceil(seconds/float64(unit))))
}

// VideoCheckPrice is the price of checking a video of that many seconds.
func (p Prices) VideoCheckPrice(seconds float64) int64 {
	return perStarted(p.VideoCheck, p.VideoCheckSeconds, seconds)
}

// VideoOptimizePrice is the price of optimizing a video of that many seconds.
func (p Prices) VideoOptimizePrice(seconds float64) int64 {
	return perStarted(p.VideoOptimize, p.VideoOptimizeSeconds, seconds)
}

// VoiceCheckPrice is the price of checking a voice clip of that many seconds.
func (p Prices) VoiceCheckPrice(seconds float64) int64 {
	return perStarted(p.VoiceCheck, p.VoiceCheckSeconds, seconds)
}

// Quote is what a call costs in credits, before it is made: KindCheck or KindOptimize of a medium. For a clip it is what
// is held, by the length in seconds that is promised, or by the longest length when seconds is 0; what its real length
// costs less is given back at the end. A voice clip cannot be optimized: 0.
func (s *Service) Quote(kind string, media engine.Media, seconds float64) int64 {
	if seconds <= 0 {
		seconds = MaxSeconds
	}
	p := s.cfg.Prices
	if kind == KindOptimize {
		switch media {
		case engine.Image:
			return p.ImageOptimize
		case engine.Video:
			return p.VideoOptimizePrice(seconds)
		case engine.Audio:
		}
		return 0
	}
	switch media {
	case engine.Video:
		return p.VideoCheckPrice(seconds)
	case engine.Audio:
		return p.VoiceCheckPrice(seconds)
	case engine.Image:
	}
	return p.ImageCheck
}
