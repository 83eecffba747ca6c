package billing

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/platform/fault"
	"veracity/platform/toolbox"
)

// stripeMock starts stripe-mock, which holds every request against Stripe's own description of its API and answers with
// examples from it. It is one of the tools that `make tools` makes; without it the tests that need it fail.
func stripeMock(t *testing.T) *Service {
	t.Helper()
	dir, err := toolbox.Dir()
	require.NoError(t, err)
	binary := filepath.Join(dir, "stripe-mock")
	if _, err := os.Stat(binary); err != nil {
		binary, err = exec.LookPath("stripe-mock")
		require.NoError(t, err, "stripe-mock is neither in %s nor on the PATH: run make tools", dir)
	}
	plain, secure := freeAddress(t), freeAddress(t)
	// Only loopback: it binds all interfaces unless told otherwise.
	cmd := exec.CommandContext(t.Context(), binary, "-http-addr", plain, "-https-addr", secure)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // t.Context has ended it
	require.Eventually(t, func() bool {
		conn, err := net.DialTimeout("tcp", plain, time.Second)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 20*time.Second, 10*time.Millisecond)
	cfg := DefaultConfig()
	cfg.SecretKey, cfg.APIURL, cfg.BaseURL = "sk_test_123", "http://"+plain, "https://veracity.example"
	cfg.TaxIDs, cfg.TrialDays = true, 14
	s, err := New(cfg, Parts{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

func TestEveryRequestIsAsStripeDescribesIt(t *testing.T) {
	t.Parallel()
	s := stripeMock(t)
	of := sub{id: "sub_123", item: "si_123", plan: "starter", every: Month, latest: "in_123"}
	for name, call := range map[string]func(ctx context.Context) error{
		"make customer": func(ctx context.Context) error {
			made, err := s.stripe.customers.New(customerParams(ctx, uuid.New(), "ada@example.com", "Ada", 0, time.Now()))
			if err == nil {
				require.NotEmpty(t, made.ID)
			}
			return err
		},
		"read customer": func(ctx context.Context) error {
			deleted, unknown, err := s.gone(ctx, "cus_123")
			require.False(t, deleted)
			require.False(t, unknown)
			return err
		},
		"read checkout": func(ctx context.Context) error {
			_, _, err := s.named(ctx, "", "cs_test_123")
			return err
		},
		"read owner of customer": func(ctx context.Context) error {
			_, id, err := s.named(ctx, "cus_123", "")
			require.Equal(t, "cus_123", id)
			return err
		},
		"read dispute": func(ctx context.Context) error {
			_, err := s.disputed(ctx, "dp_123")
			return err
		},
		"list subscriptions": func(ctx context.Context) error {
			subs, err := s.subscriptions(ctx, "cus_123")
			require.NotEmpty(t, subs)
			require.NotEmpty(t, subs[0].item)
			return err
		},
		"list paid invoices": func(ctx context.Context) error {
			_, err := s.payments(ctx, of)
			return err
		},
		"find price":      func(ctx context.Context) error { _, err := s.price(ctx, "pro", Month); return err },
		"find year price": func(ctx context.Context) error { _, err := s.price(ctx, "pro", Year); return err },
		"plan by product": func(ctx context.Context) error {
			_, err := s.planOf(ctx, &stripe.Price{ID: "price_123", Product: &stripe.Product{ID: "prod_123"}}, true)
			return err
		},
		"open checkout with tax id and trial": func(ctx context.Context) error {
			opened, err := s.stripe.checkouts.New(s.checkoutParams(ctx, uuid.New(), "cus_123", "price_123", "pro", true))
			if err == nil {
				require.NotEmpty(t, opened.ID)
			}
			return err
		},
		"upgrade": func(ctx context.Context) error {
			err := s.upgrade(ctx, of, "starter", "pro")
			if fault.CodeOf(err) == fault.PaymentDeclined {
				return nil // the example has a pending update
			}
			return err
		},
		"downgrade":      func(ctx context.Context) error { return s.setPrice(ctx, of, "starter") },
		"cancel at end":  func(ctx context.Context) error { return s.cancelAtEnd(ctx, of.id, true) },
		"resume":         func(ctx context.Context) error { return s.cancelAtEnd(ctx, of.id, false) },
		"cancel at once": func(ctx context.Context) error { return s.cancelNow(ctx, of.id) },
		"collect renewal": func(ctx context.Context) error {
			again, err := s.collect(ctx, of)
			require.True(t, again, "the requests were taken")
			return err
		},
		"read upcoming": func(ctx context.Context) error {
			next, err := s.upcoming(ctx, "cus_123", of)
			require.NotNil(t, next)
			return err
		},
		"list invoices":    func(ctx context.Context) error { _, err := s.listInvoices(ctx, "cus_123"); return err },
		"find portal":      func(ctx context.Context) error { _, err := s.findPortal(ctx); return err },
		"open portal":      func(ctx context.Context) error { return s.tryPortal(ctx, "") },
		"open portal card": func(ctx context.Context) error { return s.tryPortal(ctx, FlowPaymentMethod) },
		"open portal end":  func(ctx context.Context) error { return s.tryPortal(ctx, FlowCancel) },
		"make portal": func(ctx context.Context) error {
			_, err := s.stripe.portalConfigs.New(s.portalParams(ctx))
			return err
		},
		"update portal": func(ctx context.Context) error {
			_, err := s.stripe.portalConfigs.Update("bpc_123", s.portalParams(ctx))
			return err
		},
		"make product": func(ctx context.Context) error {
			return s.makeProduct(ctx, productID("pro"), "Veracity Pro", "pro")
		},
		"mend product": func(ctx context.Context) error { return s.mendProduct(ctx, productID("pro"), "pro") },
		"make price": func(ctx context.Context) error {
			plan, _ := s.Plans.find("pro")
			_, err := s.makePrice(ctx, plan, Month, productID("pro"))
			return err
		},
		"retire price": func(ctx context.Context) error { return s.retirePrice(ctx, "price_123") },
		"make endpoint": func(ctx context.Context) error {
			_, err := s.makeEndpoint(ctx, "https://veracity.example/webhooks/stripe")
			return err
		},
		"list endpoints": func(ctx context.Context) error {
			_, _, err := s.findEndpoint(ctx, "https://veracity.example/webhooks/stripe")
			return err
		},
		"update endpoint":     func(ctx context.Context) error { return s.changeEndpoint(ctx, "we_123", true) },
		"switch off endpoint": func(ctx context.Context) error { return s.changeEndpoint(ctx, "we_123", false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, call(t.Context()))
		})
	}
	t.Run("a wrong parameter is noticed", func(t *testing.T) {
		t.Parallel()
		params := customerParams(t.Context(), uuid.New(), "ada@example.com", "Ada", 0, time.Now())
		params.AddExtra("colour", "green")
		_, err := s.stripe.customers.New(params)
		require.True(t, refusedRequest(err), "%v", err)
	})
}

// tryPortal opens a portal page for an example.
func (s *Service) tryPortal(ctx context.Context, flow string) error {
	data, err := flowData(flow, "sub_123", "https://veracity.example/account/plan")
	if err != nil {
		return err
	}
	_, err = s.openPortal(ctx, "cus_123", data)
	return err
}
