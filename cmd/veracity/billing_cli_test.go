package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/billing/sandbox"
)

func TestStripeIsSetUpAndComparedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, true)
	c.fails(exitUsage, "VERACITY_STRIPE_SECRET_KEY is not set", "billing", "setup")
	c.fails(exitUsage, "VERACITY_STRIPE_SECRET_KEY is not set", "billing", "sync")

	box, err := sandbox.Start(t.Context(), sandbox.Config{Manual: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close(context.WithoutCancel(t.Context()))) })
	c.env["VERACITY_STRIPE_SECRET_KEY"], c.env["VERACITY_STRIPE_API_URL"] = box.SecretKey(), box.URL()
	c.env["VERACITY_BASE_URL"] = "https://veracity.example"
	made := c.json("billing", "setup", "--json")
	require.Len(t, made["changes"], 8, "3 products, 3 prices, the portal and the endpoint: %v", made)
	require.Regexp(t, `^whsec_`, made["webhook_secret"])
	again := c.json("billing", "setup", "--json")
	require.Empty(t, again["changes"])
	require.NotContains(t, again, "webhook_secret", "a secret is told once")

	report := c.json("billing", "sync", "--json")
	require.Equal(t, float64(0), report["accounts"])
	acc := c.json("account", "create", "--email", "a@example.com", "--plan", "starter", "--json")
	report = c.json("billing", "sync", "--account", acc["id"].(string), "--json")
	require.Empty(t, report["changed"], "an operator's account is left alone")
	c.fails(exitUsage, "is not an account's id", "billing", "sync", "--account", "somebody")

	code, shown, complaint := c.run("config", "--json")
	require.Equal(t, exitOK, code, complaint)
	require.NotContains(t, shown, box.SecretKey())
	c.env["VERACITY_STRIPE_TRIAL_DAYS"] = "-1"
	c.fails(exitUsage, "VERACITY_STRIPE_TRIAL_DAYS is -1: allowed are 0 to 365", "billing", "sync")
}
