package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strconv"

	"veracity/billing"
	"veracity/billing/sandbox"
)

// sandboxDir in the data folder keeps the state of the payment service for development.
const sandboxDir = "stripe"

// startSandbox runs a payment service for development on this machine, unless the settings name a real one. It is for
// `veracity dev` alone: whoever can reach its pages can have any plan.
func (s *Settings) startSandbox(ctx context.Context) (func(context.Context) error, error) {
	if !s.development {
		return nil, errors.New("the sandbox of payments is for `veracity dev` alone")
	}
	if s.Stripe.SecretKey != "" {
		return func(context.Context) error { return nil }, nil
	}
	box, err := sandbox.Start(ctx, sandbox.Config{
		WebhookURL: "http://" + s.own() + billing.WebhookPath, Dir: filepath.Join(s.Data, sandboxDir), Log: newLogger(s),
	})
	if err != nil {
		return nil, err
	}
	s.Stripe.SecretKey, s.Stripe.WebhookSecret, s.Stripe.APIURL = box.SecretKey(), box.WebhookSecret(), box.URL()
	s.payClock = box.Now
	return box.Close, nil
}

// own is where this machine reaches what bind listens on, whatever VERACITY_BASE_URL says of the way from elsewhere.
func (s *Settings) own() string {
	bound, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || bound.IP.IsUnspecified() || bound.IP.IsLoopback() {
		_, port, _ := net.SplitHostPort(s.listener.Addr().String())
		return net.JoinHostPort("localhost", port)
	}
	return net.JoinHostPort(bound.IP.String(), strconv.Itoa(bound.Port))
}

// paymentsGo says where payments are made that cost nothing, "" where they are real.
func (s *Settings) paymentsGo() string {
	if s.payClock == nil {
		return ""
	}
	return "payments " + s.Stripe.APIURL + "/\n"
}
