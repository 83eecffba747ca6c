package main

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func payingSettings(t *testing.T) *Settings {
	t.Helper()
	s := defaultSettings(func(string) string { return "" })
	s.Data = t.TempDir()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	s.listener = ln
	return s
}

func TestSandboxOfPaymentsIsForDevAlone(t *testing.T) {
	t.Parallel()
	s := payingSettings(t)
	_, err := s.startSandbox(t.Context())
	require.ErrorContains(t, err, "veracity dev")
	require.Empty(t, s.Stripe.SecretKey)
	require.NoDirExists(t, filepath.Join(s.Data, sandboxDir))
	require.Empty(t, s.paymentsGo())
}

func TestSandboxOfPaymentsGivesWayToAKey(t *testing.T) {
	t.Parallel()
	s := payingSettings(t)
	s.development, s.Stripe.SecretKey = true, "sk_test_of_somebody"
	stop, err := s.startSandbox(t.Context())
	require.NoError(t, err)
	require.NoError(t, stop(t.Context()))
	require.Equal(t, defaultSettings(func(string) string { return "" }).Stripe.APIURL, s.Stripe.APIURL)
	require.NoDirExists(t, filepath.Join(s.Data, sandboxDir))
	require.Empty(t, s.paymentsGo())
}

func TestSandboxOfPaymentsTakesThePlaceOfStripe(t *testing.T) {
	t.Parallel()
	s := payingSettings(t)
	s.development = true
	stop, err := s.startSandbox(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop(context.WithoutCancel(t.Context()))) })
	require.Contains(t, s.Stripe.SecretKey, "sk_test_sandbox_")
	require.Contains(t, s.Stripe.WebhookSecret, "whsec_")
	require.Equal(t, "payments "+s.Stripe.APIURL+"/\n", s.paymentsGo())
	require.FileExists(t, filepath.Join(s.Data, sandboxDir, "stripe.json"))
	_, port, err := net.SplitHostPort(s.listener.Addr().String())
	require.NoError(t, err)
	require.Equal(t, "localhost:"+port, s.own())
}
