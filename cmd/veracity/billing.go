package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/account"
	"veracity/billing"
	"veracity/jobs"
)

func (s *Settings) registerBilling(fs *pflag.FlagSet) {
	fs.StringVar(&s.Stripe.SecretKey, "stripe-secret-key", "", "secret key of the Stripe account; empty sells nothing, in dev a sandbox")
	fs.StringVar(&s.Stripe.WebhookSecret, "stripe-webhook-secret", "", "signing secret of the webhook endpoint; empty takes no events")
	fs.StringVar(&s.Stripe.APIURL, "stripe-api-url", s.Stripe.APIURL, "where Stripe's API answers")
	fs.IntVar(&s.Stripe.TrialDays, "stripe-trial-days", s.Stripe.TrialDays, "days for which an account's first subscription is free")
	fs.BoolVar(&s.Stripe.TaxIDs, "stripe-tax-ids", s.Stripe.TaxIDs, "ask for a tax id and an address at the checkout")
	fs.DurationVar(&s.Stripe.Timeout, "stripe-timeout", s.Stripe.Timeout, "longest request to Stripe")
	fs.DurationVar(&s.Stripe.Keep, "stripe-events-keep", s.Stripe.Keep, "how long events of Stripe stay readable")
	fs.IntVar(&s.Jobs.BillingAtOnce, "billing-at-once", s.Jobs.BillingAtOnce, "events of Stripe worked at once")
}

// payAt are the origins of the payment service's pages, where forms of the portal may lead.
func (s *Settings) payAt() []string {
	if s.Stripe.APIURL == billing.DefaultConfig().APIURL {
		return []string{"https://checkout.stripe.com", "https://billing.stripe.com"}
	}
	u, err := url.Parse(s.Stripe.APIURL)
	if err != nil {
		return nil
	}
	return []string{u.Scheme + "://" + u.Host}
}

// examinePayments is the doctor's line about Stripe. It calls nobody: `veracity billing setup` does.
func (s *Settings) examinePayments() finding {
	if s.Stripe.WebhookSecret == "" {
		return finding{
			What: "payments", Says: "no event of Stripe is taken: VERACITY_STRIPE_WEBHOOK_SECRET is not set",
			Mend: "set it to the signing secret that `veracity billing setup` printed, or that Stripe shows for the endpoint",
		}
	}
	return finding{What: "payments", OK: true, Says: "a secret key and a webhook secret are set"}
}

// makeBilling makes what takes payments. Without a secret key there is none, and operators set plans.
func (a *App) makeBilling(queue *jobs.Queue) error {
	if a.Settings.Stripe.SecretKey == "" {
		return nil
	}
	cfg := a.Settings.Stripe
	cfg.BaseURL = a.Settings.BaseURL
	made, err := billing.New(cfg, billing.Parts{
		DB: a.DB, Accounts: a.Accounts, Queue: queue, Log: a.Log, Metrics: billing.NewMetrics(a.Metrics), Now: a.Settings.payClock,
	})
	if err != nil {
		return usageError{err}
	}
	a.Billing = made
	forget := a.Accounts.Forget
	a.Accounts.Forget = func(ctx context.Context, account uuid.UUID) error {
		// First what costs money: nobody may be charged for an account that is gone.
		if err := made.Forget(ctx, account); err != nil {
			return err
		}
		return forget(ctx, account)
	}
	return nil
}

func billingCommand(s *Settings) *cobra.Command {
	return group("billing", "Set Stripe up, and compare accounts with it", billingSetup(s), billingSync(s))
}

func billingSetup(s *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "setup", Short: "Make products, prices, portal and webhook endpoint in the Stripe account", Args: noArgs,
		Long: "Makes what is missing in the Stripe account of VERACITY_STRIPE_SECRET_KEY and updates what differs. Run twice it\n" +
			"changes nothing. The signing secret of a webhook endpoint that it makes is printed once.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Stripe.SecretKey == "" {
				return usageError{errors.New("VERACITY_STRIPE_SECRET_KEY is not set: name the key of the Stripe account")}
			}
			cfg := s.Stripe
			cfg.BaseURL = s.BaseURL
			service, err := billing.New(cfg, billing.Parts{Log: quietLogger(s)})
			if err != nil {
				return usageError{err}
			}
			report, err := service.Setup(cmd.Context())
			return errors.Join(s.printSetup(cmd.OutOrStdout(), report), err)
		},
	}
}

func (s *Settings) printSetup(out io.Writer, r billing.SetupReport) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(r))
		return err
	}
	lines := append([]string{}, r.Changes...)
	if len(lines) == 0 {
		lines = append(lines, "all is as it should be")
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	if r.WebhookSecret != "" {
		lines = append(lines, "VERACITY_STRIPE_WEBHOOK_SECRET="+r.WebhookSecret)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func billingSync(s *Settings) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use: "sync [--account ID]", Short: "Compare accounts with Stripe and mend what differs", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Stripe.SecretKey == "" {
				return usageError{errors.New("VERACITY_STRIPE_SECRET_KEY is not set: name the key of the Stripe account")}
			}
			return s.withAccounts(cmd.Context(), func(ctx context.Context, accounts *account.Accounts) error {
				cfg := s.Stripe
				cfg.BaseURL = s.BaseURL
				service, err := billing.New(cfg, billing.Parts{DB: accounts.DB, Accounts: accounts, Queue: accounts.Queue, Log: quietLogger(s)})
				if err != nil {
					return usageError{err}
				}
				return s.sync(ctx, cmd.OutOrStdout(), service, id)
			})
		},
	}
	cmd.Flags().StringVar(&id, "account", "", "id of the one account to compare; default all that the payment service knows")
	return cmd
}

func (s *Settings) sync(ctx context.Context, out io.Writer, service *billing.Service, id string) error {
	if id == "" {
		report, err := service.SyncAll(ctx)
		return errors.Join(s.printSync(out, report), err)
	}
	account, err := uuid.Parse(id)
	if err != nil {
		return usageError{fmt.Errorf("%q is not an account's id: `veracity account list` shows them", id)}
	}
	report, err := service.SyncOne(ctx, account)
	return errors.Join(s.printSync(out, report), err)
}

func (s *Settings) printSync(out io.Writer, r billing.SyncReport) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(r))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if _, err := fmt.Fprintf(w, "%d accounts compared, %d mended, %d failed\n", r.Accounts, len(r.Changed), r.Failed); err != nil {
		return err
	}
	for _, id := range r.Changed {
		if _, err := fmt.Fprintf(w, "mended\t%s\n", id); err != nil {
			return err
		}
	}
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(w, "look at\t%s\t%s\n", f.Account, f.What); err != nil {
			return err
		}
	}
	return w.Flush()
}
