package media

import (
	"context"

	"veracity/platform/fault"
)

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
