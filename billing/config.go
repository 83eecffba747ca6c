package billing

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Config is how payments are taken.
type Config struct {
	// SecretKey is the Stripe account's secret key, sk_… or a restricted rk_…; without one nothing is sold.
	SecretKey string
	// WebhookSecret is the signing secret of the webhook endpoint, whsec_…; without one the endpoint is closed.
	WebhookSecret string
	// APIURL is where Stripe answers, without a slash at its end. Default https://api.stripe.com.
	APIURL string
	// BaseURL is the portal's address without a slash at its end: people come back there from Stripe's pages, and events go
	// there.
	BaseURL string
	// TrialDays is how long the first subscription of an account is free, 0 (not at all) to 365.
	TrialDays int
	// TaxIDs asks for a tax id and an address at the checkout.
	TaxIDs bool
	// Timeout bounds one request to Stripe, a second to two minutes.
	Timeout time.Duration
	// Keep is how long events that were worked stay readable, a day to ten years. Stripe shows its own for 30 days.
	Keep time.Duration
}

// DefaultConfig is what holds without settings.
func DefaultConfig() Config {
	return Config{APIURL: "https://api.stripe.com", Timeout: 20 * time.Second, Keep: 90 * 24 * time.Hour}
}

// maxTrial is more than any trial, and what Stripe takes (730 days) with room.
const maxTrial = 365

// Validate says which setting cannot be, and what is allowed.
func (c Config) Validate() error {
	u, err := url.Parse(c.APIURL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return fmt.Errorf("VERACITY_STRIPE_API_URL is %q: want https://HOST, or http://HOST for one on this machine", c.APIURL)
	case c.TrialDays < 0 || c.TrialDays > maxTrial:
		return fmt.Errorf("VERACITY_STRIPE_TRIAL_DAYS is %d: allowed are 0 to %d", c.TrialDays, maxTrial)
	case c.Timeout < time.Second || c.Timeout > 2*time.Minute:
		return fmt.Errorf("VERACITY_STRIPE_TIMEOUT is %s: allowed are 1s to 2m", c.Timeout)
	case c.Keep < 24*time.Hour || c.Keep > 10*365*24*time.Hour:
		return fmt.Errorf("VERACITY_STRIPE_EVENTS_KEEP is %s: allowed are 24h to 87600h", c.Keep)
	case c.SecretKey == "" && c.WebhookSecret != "":
		return errors.New("VERACITY_STRIPE_WEBHOOK_SECRET is set without VERACITY_STRIPE_SECRET_KEY: set both or neither")
	}
	return nil
}
