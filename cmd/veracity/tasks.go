package main

import (
	"context"
	"fmt"
	"time"

	"veracity/api"
	"veracity/jobs"
	"veracity/quota"
)

// tasks are the periodic acts, each with its interval.
func (a *App) tasks() []jobs.Task {
	return []jobs.Task{
		{Name: "release-expired-holds", Every: time.Minute, Run: a.releaseHolds},
		{Name: "renew-credit-periods", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
			_, err := quota.Renew(ctx, a.DB)
			return err
		}},
		{Name: "sweep-uploads", Every: 10 * time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Media.SweepUploads(ctx)
			return err
		}},
		{Name: "forget-answers", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := api.ForgetAnswers(ctx, a.DB)
			return err
		}},
		{Name: "audit-balances", Every: time.Hour, Run: a.auditBalances},
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
	a.differences.Set(float64(len(found)))
	for _, d := range found {
		a.Log.ErrorContext(ctx, "balance differs from its journal",
			"account", d.Account, "period", d.PeriodStart, "what", d.What, "recorded", d.Recorded, "journal", d.Journal)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d balances differ from their journal", len(found))
	}
	return nil
}
