package billing

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v79"
	portalconfig "github.com/stripe/stripe-go/v79/billingportal/configuration"
	portalsession "github.com/stripe/stripe-go/v79/billingportal/session"
	checkout "github.com/stripe/stripe-go/v79/checkout/session"
	"github.com/stripe/stripe-go/v79/customer"
	"github.com/stripe/stripe-go/v79/dispute"
	"github.com/stripe/stripe-go/v79/invoice"
	"github.com/stripe/stripe-go/v79/price"
	"github.com/stripe/stripe-go/v79/product"
	"github.com/stripe/stripe-go/v79/subscription"
	"github.com/stripe/stripe-go/v79/webhookendpoint"

	"veracity/platform/fault"
)

// Stripe's words for the state of a subscription
// (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
const (
	statusActive     = "active"
	statusTrialing   = "trialing"
	statusPastDue    = "past_due"
	statusUnpaid     = "unpaid"
	statusIncomplete = "incomplete"
	statusCanceled   = "canceled"
)

// stripeAPI holds the calls that are made, on a backend of their own: neither Stripe's globals nor its telemetry are used.
type stripeAPI struct {
	customers     customer.Client
	subscriptions subscription.Client
	invoices      invoice.Client
	checkouts     checkout.Client
	portals       portalsession.Client
	portalConfigs portalconfig.Client
	prices        price.Client
	products      product.Client
	endpoints     webhookendpoint.Client
	disputes      dispute.Client
}

// networkRetries is how often a request that got no answer, or one that asks to come again, is sent again at once, under
// the same idempotency key. What takes longer is for the queue.
const networkRetries = 1

func newStripe(cfg Config) (*stripeAPI, error) {
	if cfg.SecretKey == "" {
		return nil, errors.New("VERACITY_STRIPE_SECRET_KEY is not set: without it nothing can be sold")
	}
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		HTTPClient:        &http.Client{Timeout: cfg.Timeout, Transport: transport()},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull}, // errors are returned, and logged where they end
		MaxNetworkRetries: stripe.Int64(networkRetries),
		URL:               stripe.String(strings.TrimSuffix(cfg.APIURL, "/")),
	})
	key := cfg.SecretKey
	return &stripeAPI{
		customers:     customer.Client{B: backend, Key: key},
		subscriptions: subscription.Client{B: backend, Key: key},
		invoices:      invoice.Client{B: backend, Key: key},
		checkouts:     checkout.Client{B: backend, Key: key},
		portals:       portalsession.Client{B: backend, Key: key},
		portalConfigs: portalconfig.Client{B: backend, Key: key},
		prices:        price.Client{B: backend, Key: key},
		products:      product.Client{B: backend, Key: key},
		endpoints:     webhookendpoint.Client{B: backend, Key: key},
		disputes:      dispute.Client{B: backend, Key: key},
	}, nil
}

// transport keeps connections to one host, and never goes through a proxy that the environment names.
func transport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: 90 * time.Second,
		MaxIdleConns: 20, MaxIdleConnsPerHost: 20, ForceAttemptHTTP2: true,
	}
}

// post is the head of a request that changes something. The key makes a repetition of it count once for a day
// (https://docs.stripe.com/api/idempotent_requests).
func post(ctx context.Context, key string) stripe.Params {
	return stripe.Params{Context: ctx, IdempotencyKey: stripe.String(key)}
}

// once is the key of a request that only its own retries repeat.
func once() string { return uuid.NewString() }

func get(ctx context.Context, expand ...string) stripe.Params {
	p := stripe.Params{Context: ctx}
	for _, field := range expand {
		p.AddExpand(field)
	}
	return p
}

// page is the head of a list: single asks for one page alone.
func page(ctx context.Context, limit int64, single bool) stripe.ListParams {
	return stripe.ListParams{Context: ctx, Limit: stripe.Int64(limit), Single: single}
}

// maxPage is the longest list that Stripe gives at once.
const maxPage = 100

// missing tells whether what was asked for is not there, or no more.
func missing(err error) bool {
	var refused *stripe.Error
	return errors.As(err, &refused) && (refused.Code == stripe.ErrorCodeResourceMissing || refused.HTTPStatusCode == http.StatusNotFound)
}

// declined tells whether a bank refused, or asks the person to confirm.
func declined(err error) bool {
	var refused *stripe.Error
	return errors.As(err, &refused) && (refused.Type == stripe.ErrorTypeCard || refused.HTTPStatusCode == http.StatusPaymentRequired)
}

// refusedRequest tells whether Stripe understood the request and would refuse it again.
func refusedRequest(err error) bool {
	var refused *stripe.Error
	return errors.As(err, &refused) && refused.HTTPStatusCode == http.StatusBadRequest
}

// failed is an error of Stripe's for a person who waits: payment_declined, or payment_service_unavailable for whatever else
// keeps us from it. A request of ours that is wrong is neither.
func failed(act string, err error) error {
	switch {
	case declined(err):
		return fault.Wrap(err, fault.PaymentDeclined, "The bank did not accept the payment. Try another card.")
	case refusedRequest(err):
		return fmt.Errorf("%s: %w", act, err)
	}
	return fault.Wrap(fmt.Errorf("%s: %w", act, err), fault.PaymentServiceUnavailable,
		"The payment service cannot be reached just now. Your plan and your keys work on as they are. Try again in a few minutes.")
}

// moment is a time of Stripe's, in whole seconds.
func moment(unix int64) time.Time { return time.Unix(unix, 0).UTC() }

// momentOr is nil for a time that is not set.
func momentOr(unix int64) *time.Time {
	if unix == 0 {
		return nil
	}
	t := moment(unix)
	return &t
}
