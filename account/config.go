package account

import (
	"fmt"
	"time"
)

// Config is how accounts are kept.
type Config struct {
	// CloseAfter is the time from an owner's wish to the deletion of an account, an hour to a year. Until then any owner
	// can stop it.
	CloseAfter time.Duration
	// InviteTTL is how long an invite stands, an hour to 90 days.
	InviteTTL time.Duration
	// ResendAfter is the time between two letters of an account to one address, a second to a day.
	ResendAfter time.Duration
	// MaxSends is how many letters of an account go to one address before it must be silent for a day, 1 to 100.
	MaxSends int
	// MaxInvites is how many invites of an account are open at once, 1 to 10,000; twice as many are made in a day.
	MaxInvites int
	// MaxMembers is how many people an account has, 1 to 100,000.
	MaxMembers int
	// SignUpPlan is the plan that the account of somebody who signs up is on; empty is the plan without API access. A plan
	// with API access is granted month by month, without payment.
	SignUpPlan string
}

// DefaultConfig is what holds without settings.
func DefaultConfig() Config {
	return Config{
		CloseAfter: 14 * 24 * time.Hour, InviteTTL: 7 * 24 * time.Hour, ResendAfter: time.Minute, MaxSends: 10,
		MaxInvites: 50, MaxMembers: 200,
	}
}

// Validate says which setting cannot be, and what is allowed.
func (c Config) Validate() error {
	for _, d := range []struct {
		name          string
		value         time.Duration
		least, utmost time.Duration
	}{
		{"VERACITY_CLOSE_AFTER", c.CloseAfter, time.Hour, 365 * 24 * time.Hour},
		{"VERACITY_INVITE_TTL", c.InviteTTL, time.Hour, 90 * 24 * time.Hour},
		{"VERACITY_INVITE_RESEND_AFTER", c.ResendAfter, time.Second, 24 * time.Hour},
	} {
		if d.value < d.least || d.value > d.utmost {
			return fmt.Errorf("%s is %s: allowed are %s to %s", d.name, d.value, d.least, d.utmost)
		}
	}
	for _, n := range []struct {
		name          string
		value, utmost int
	}{
		{"VERACITY_INVITE_SENDS", c.MaxSends, 100}, {"VERACITY_OPEN_INVITES", c.MaxInvites, 10_000}, {"VERACITY_MEMBERS", c.MaxMembers, 100_000},
	} {
		if n.value < 1 || n.value > n.utmost {
			return fmt.Errorf("%s is %d: allowed are 1 to %d", n.name, n.value, n.utmost)
		}
	}
	return nil
}

// config is the settings in force.
func (a *Accounts) config() Config {
	if a.Config == (Config{}) {
		return DefaultConfig()
	}
	return a.Config
}
