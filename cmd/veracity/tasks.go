package main

import (
	"context"
	"time"

	"veracity/account/trail"
	"veracity/api"
	"veracity/jobs"
	"veracity/media"
	"veracity/quota"
	"veracity/usage"
)

// tasks are the periodic acts, each with its interval.
func (a *App) tasks() []jobs.Task {
	return append(a.billingTasks(), []jobs.Task{
		{Name: "release-expired-holds", Every: time.Minute, Run: a.releaseHolds},
		{Name: "renew-credit-periods", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
			_, err := quota.Renew(ctx, a.DB)
			return err
		}},
		{Name: "sweep-uploads", Every: 10 * time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Media.SweepUploads(ctx)
			return err
		}},
		{Name: "expire-jobs", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Media.ExpireJobs(ctx)
			return err
		}},
		{Name: "sweep-jobs", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Media.SweepJobs(ctx)
			return err
		}},
		{Name: "forget-webhooks", Every: 6 * time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Webhooks.Forget(ctx)
			return err
		}},
		{Name: "reconcile-jobs", Every: 24 * time.Hour, Run: a.reconcile},
		{Name: "forget-answers", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := api.ForgetAnswers(ctx, a.DB)
			return err
		}},
		{Name: "audit-balances", Every: time.Hour, Run: a.auditBalances},
		{Name: "partition-request-log", Every: 6 * time.Hour, Run: func(ctx context.Context) error {
			return usage.Partition(ctx, a.DB, time.Now(), a.Settings.Usage.Keep)
		}},
		{Name: "partition-audit-trail", Every: 6 * time.Hour, Run: func(ctx context.Context) error {
			return trail.Partition(ctx, a.DB, time.Now(), a.Settings.TrailKeep)
		}},
		{Name: "delete-closed-accounts", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Accounts.DeleteClosed(ctx)
			return err
		}},
		{Name: "notice-credits", Every: time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Accounts.NoticeCredits(ctx)
			return err
		}},
		{Name: "forget-invites", Every: 24 * time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Accounts.ForgetInvites(ctx)
			return err
		}},
		{Name: "forget-sign-ins", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := a.People.Forget(ctx)
			return err
		}},
		{Name: "forget-playground", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Playground.Forget(ctx)
			return err
		}},
		{Name: "forget-usage", Every: 24 * time.Hour, Run: func(ctx context.Context) error {
			_, err := usage.Forget(ctx, a.DB, time.Now(), a.Settings.Usage.KeepCounts)
			return err
		}},
	}...)
}

// billingTasks make accounts follow their payments, whatever of Stripe's events is lost.
func (a *App) billingTasks() []jobs.Task {
	if a.Billing == nil {
		return nil
	}
	return []jobs.Task{
		{Name: "enforce-billing", Every: time.Minute, Run: func(ctx context.Context) error {
			if err := a.Billing.Enforce(ctx); err != nil {
				return err
			}
			found, err := a.Billing.Findings(ctx)
			if err != nil {
				return err
			}
			return jobs.NoteFinding(ctx, a.DB, billingFound, len(found))
		}},
		{Name: "compare-billing", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Billing.QueueSync(ctx)
			return err
		}},
		{Name: "forget-stripe-events", Every: 6 * time.Hour, Run: func(ctx context.Context) error {
			_, err := a.Billing.ForgetEvents(ctx)
			return err
		}},
	}
}

func (a *App) releaseHolds(ctx context.Context) error {
	for {
		n, err := quota.ReleaseExpired(ctx, a.DB)
		if err != nil || n == 0 {
			return err
		}
		a.Log.WarnContext(ctx, "gave back credit holds that a lost process left", "holds", n)
	}
}

// auditBalances alarms when a balance and its journal differ, which no path of the product may bring about.
func (a *App) auditBalances(ctx context.Context) error {
	found, err := quota.Audit(ctx, a.DB, nil)
	if err != nil {
		return err
	}
	for _, d := range found {
		a.Log.ErrorContext(ctx, "balance differs from its journal",
			"account", d.Account, "period", d.PeriodStart, "what", d.What, "recorded", d.Recorded, "journal", d.Journal)
	}
	return jobs.NoteFinding(ctx, a.DB, differencesFound, len(found))
}

// Names of what the tasks find, as /metrics reads them.
const (
	differencesFound = "balance differences"
	straysFound      = "stray holds"
	billingFound     = "billing findings"
)

// reconcile alarms when a hold has no live job or a live job no hold, which no path of the product may bring about.
func (a *App) reconcile(ctx context.Context) error {
	found, err := media.Reconcile(ctx, a.DB)
	if err != nil {
		return err
	}
	for _, stray := range found {
		a.Log.ErrorContext(ctx, "credits and jobs do not match",
			"what", stray.What, "account", stray.Account, "hold", stray.Hold, "job", stray.Job, "credits", stray.Credits)
	}
	return jobs.NoteFinding(ctx, a.DB, straysFound, len(found))
}
