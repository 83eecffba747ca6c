package media

import (
	"context"
	"fmt"

	"veracity/platform/fault"
	"veracity/platform/safefetch"
)

// maxCallbackBytes is the longest callback_url. It is stored with the job and again with its webhook, and sent at each
// attempt; addresses that work everywhere stay well below.
const maxCallbackBytes = 2048

// checkCallback refuses a callback_url that a webhook may not go to. An empty one means that none was given.
func (s *Service) checkCallback(ctx context.Context, callback string) error {
	if callback == "" {
		return nil
	}
	if len(callback) > maxCallbackBytes {
		return fault.New(fault.InvalidURL, "callback_url has %d bytes: up to %d are allowed.", len(callback), maxCallbackBytes)
	}
	u, err := s.fetch.CheckCallbackURL(callback)
	if err != nil {
		return fault.Wrap(err, fault.InvalidURL, "callback_url must be a public https URL on its default port, without a user name or password.")
	}
	err = s.fetch.ResolvePublic(ctx, u)
	switch safefetch.KindOf(err) {
	case safefetch.Forbidden:
		return fault.Wrap(err, fault.InvalidCallback, "The host of callback_url leads to an address that is not public.")
	case safefetch.Unreachable:
		// The contract has no code of its own for a resolver that is down, and the caller's remedy is the same.
		return fault.Wrap(err, fault.InvalidCallback, "The host of callback_url has no address, or could not be looked up. If its name is right, try again.")
	case safefetch.InvalidURL, safefetch.TooLarge:
	}
	if err != nil {
		return fmt.Errorf("look up callback: %w", err)
	}
	return nil
}
