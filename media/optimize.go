package media

import (
	"context"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
)

// optimizeRetry is how long a caller waits while optimizing is paused.
const optimizeRetry = 300 * time.Second

// StartOptimize would start an optimization. This version's switch is off for good, so it refuses before anything is
// held or read; what is wrong with the source or the callback is told first. Refusals: unsupported_media (a voice
// clip), invalid_url, invalid_callback, optimizations_disabled.
func (s *Service) StartOptimize(ctx context.Context, _ Caller, src Source, callback string) error {
	if src.Media == engine.Audio {
		return fault.New(fault.UnsupportedMedia, "Voice clips can be checked but not optimized: send an image or a video.")
	}
	if src.Way == ByURL {
		if err := s.checkURL(src); err != nil {
			return err
		}
	}
	if err := s.checkCallback(ctx, callback); err != nil {
		return err
	}
	return fault.New(fault.OptimizationsDisabled, "Optimizing is paused on this server. Checks work.").WithRetryAfter(optimizeRetry)
}

// checkCallback refuses a callback_url that a webhook may not go to. An empty one means that none was given.
func (s *Service) checkCallback(ctx context.Context, callback string) error {
	if callback == "" {
		return nil
	}
	u, err := s.fetch.CheckCallbackURL(callback)
	if err != nil {
		return fault.Wrap(err, fault.InvalidURL, "callback_url must be a public https URL on its default port, without a user name or password.")
	}
	if err := s.fetch.ResolvePublic(ctx, u); err != nil {
		return fault.Wrap(err, fault.InvalidCallback, "The host of callback_url resolves to no public address.")
	}
	return nil
}
