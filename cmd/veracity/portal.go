package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/pflag"

	"veracity/account"
	"veracity/account/signin"
	"veracity/billing"
	"veracity/jobs"
	"veracity/web"
)

// portalSettings are the settings of the portal, beside those of sign-in and accounts.
type portalSettings struct {
	// Support is where people are told to write to.
	Support string
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies []string
}

func (s *Settings) registerPortal(fs *pflag.FlagSet) {
	fs.StringVar(&s.Portal.Support, "support-email", "", "address that people are told to write to")
	fs.StringSliceVar(&s.Portal.Proxies, "trusted-proxies", nil, "networks of proxies whose X-Forwarded-For is believed")
	fs.DurationVar(&s.SignIn.SignUpTTL, "sign-up-ttl", s.SignIn.SignUpTTL, "how long the link that proves an address holds")
	fs.DurationVar(&s.SignIn.ResetTTL, "reset-ttl", s.SignIn.ResetTTL, "how long the link to set a new password holds")
	fs.DurationVar(&s.SignIn.InviteTTL, "invite-ttl", s.SignIn.InviteTTL, "how long an invitation holds")
	fs.StringVar(&s.Account.SignUpPlan, "sign-up-plan", s.Account.SignUpPlan, "plan of accounts made by signing up; default the one without API access")
	fs.DurationVar(&s.Account.ResendAfter, "invite-resend-after", s.Account.ResendAfter, "time between two invites to one address")
	fs.IntVar(&s.Account.MaxSends, "invite-sends", s.Account.MaxSends, "invites to one address until a day's silence")
	fs.IntVar(&s.Account.MaxInvites, "open-invites", s.Account.MaxInvites, "open invites of an account")
	fs.IntVar(&s.Account.MaxMembers, "members", s.Account.MaxMembers, "people in an account")
	fs.DurationVar(&s.Account.CloseAfter, "close-after", s.Account.CloseAfter, "time between the closing of an account and its deletion")
	fs.DurationVar(&s.TrailKeep, "trail-keep", s.TrailKeep, "how long the audit trail is kept, in whole months")
}

// validatePortal checks the settings that name something.
func (s *Settings) validatePortal() error {
	if plan := s.Account.SignUpPlan; plan != "" {
		if _, ok := billing.Plans().Plan(plan); !ok {
			return fmt.Errorf("VERACITY_SIGN_UP_PLAN is %q: allowed are %s", plan, strings.Join(billing.Plans().Names(), ", "))
		}
	}
	if _, err := web.ParseProxies(s.Portal.Proxies); err != nil {
		return fmt.Errorf("VERACITY_TRUSTED_PROXIES: %w", err)
	}
	return nil
}

// makePeople makes the domains of accounts and of the people in them.
func (a *App) makePeople(queue *jobs.Queue) error {
	ring, err := a.Settings.ring()
	if err != nil {
		return err
	}
	a.Settings.Account.InviteTTL = a.Settings.SignIn.InviteTTL
	a.Accounts = &account.Accounts{
		DB: a.DB, Seal: ring, Plans: billing.Plans(), Queue: queue, Log: a.Log, Config: a.Settings.Account,
	}
	cfg := a.Settings.SignIn
	cfg.BaseURL = a.Settings.BaseURL
	a.People, err = signin.New(cfg, signin.Parts{DB: a.DB, Accounts: a.Accounts, Seal: ring, Queue: queue, Log: a.Log})
	if err != nil {
		return usageError{err}
	}
	return nil
}

// portal makes the pages.
func (a *App) portal(ctx context.Context) (http.Handler, error) {
	proxies, err := web.ParseProxies(a.Settings.Portal.Proxies)
	if err != nil {
		return nil, usageError{fmt.Errorf("VERACITY_TRUSTED_PROXIES: %w", err)}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.onClose("queue pages", func(context.Context) error { stop(); return nil })
	river, err := jobs.NewUI(ctx, a.DB, web.RiverPath, a.Log)
	if err != nil {
		return nil, err
	}
	parts := web.Parts{
		DB: a.DB, Accounts: a.Accounts, People: a.People, Media: a.Media,
		Playground: a.Playground, Webhooks: a.Webhooks, Requests: a.Requests, River: river, Queues: operatorQueues{a}, Log: a.Log,
	}
	if a.Billing != nil {
		parts.Billing = a.Billing
	}
	a.Portal = web.New(web.Config{
		BaseURL: a.Settings.BaseURL, SupportEmail: a.Settings.Portal.Support, Plans: plansShown(), Proxies: proxies,
		Billing: a.Billing != nil, PayAt: a.Settings.payAt(), Prices: a.Settings.Media.Prices,
		Times: web.Times{
			Results: a.Settings.Media.ResultTTL, Ticket: a.Settings.Media.UploadTTL, Job: a.Settings.Media.JobTime,
			Attempt: a.Settings.Webhooks.Timeout, Retries: a.Settings.Webhooks.Retries,
		},
	}, parts)
	return a.Portal.Handler()
}

// operatorQueues shows operators how the queues stand.
type operatorQueues struct{ app *App }

// Depths implements web.Queues, in the order of the queues.
func (q operatorQueues) Depths(ctx context.Context) ([]web.Depth, error) {
	found, err := jobs.Depths(ctx, q.app.DB)
	if err != nil {
		return nil, err
	}
	shown := make([]web.Depth, 0, len(found))
	for _, name := range jobs.Queues() {
		shown = append(shown, web.Depth{Queue: name, Due: found[name].Due, Oldest: found[name].Oldest})
	}
	return shown, nil
}

// Findings implements web.Queues.
func (q operatorQueues) Findings(ctx context.Context) (map[string]int64, error) {
	return jobs.Findings(ctx, q.app.DB)
}

// secretSettings are masked wherever settings are shown.
var secretSettings = strings.Fields("secret-key database-url storage-url storage-secret-key engine-token mail-url stripe-secret-key stripe-webhook-secret api-key")
