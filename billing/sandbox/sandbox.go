// Package sandbox is a stateful Stripe on loopback for development and tests: the part of the API of version 2024-06-20
// that a subscription needs, a payment page, a customer portal, a clock that can be moved, and signed events. No money
// moves. It knows nothing of Veracity: what calls it cannot tell it from Stripe but by its address.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Version is the only API version that is spoken (https://docs.stripe.com/changelog, 2024-06-20).
const Version = "2024-06-20"

// What becomes of a subscription when the last retry of a payment has failed.
const (
	EndCanceled = "canceled"
	EndUnpaid   = "unpaid"
)

// Config says where a sandbox listens and what it plays.
type Config struct {
	// Listen is a loopback address; any other is refused. Default 127.0.0.1:0.
	Listen string
	// WebhookURL is an address on this machine that is sent all events under WebhookSecret; "" for none. Further
	// endpoints can be made through the API.
	WebhookURL string
	// Dir keeps the state as one JSON file, so that the next start goes on with it; "" keeps nothing.
	Dir string
	Log *slog.Logger
	// Now is the clock that Advance moves away from. Default time.Now; tests freeze it. Signatures, repeated posts and
	// idempotency keys go by real time.
	Now func() time.Time
	// Retries are the days between the attempts to collect a renewal. Default 3, 5, 7.
	Retries []int
	// End is what follows the last failed attempt: EndCanceled (default) or EndUnpaid.
	End string
	// Manual leaves the posting of events to Flush and Post.
	Manual bool
	// Resend are the waits before an event that was not accepted is posted again, in real time. Default 1 s to 1 h.
	Resend []time.Duration
}

// Sandbox is a running one.
type Sandbox struct {
	cfg Config
	url string
	srv *http.Server

	mu    sync.Mutex // guards world
	world *world

	posting sync.Mutex // one event is on its way at a time
	client  *http.Client
	wake    chan struct{}
	end     context.CancelFunc
	ended   sync.WaitGroup
}

// Start begins to listen and goes on with the state in cfg.Dir. It ends by Close alone, not with ctx.
func Start(ctx context.Context, cfg Config) (*Sandbox, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s for the sandbox: %w", cfg.Listen, err)
	}
	s := &Sandbox{cfg: cfg, url: "http://" + ln.Addr().String(), client: ownClient(), wake: make(chan struct{}, 1)}
	if s.world, err = openWorld(cfg, s.url); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	s.srv = &http.Server{
		Handler: s.handler(), ReadTimeout: 30 * time.Second, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn),
	}
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	s.ended.Go(func() {
		if err := s.srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			cfg.Log.ErrorContext(work, "sandbox of payments", "error", err)
		}
	})
	s.ended.Go(func() { s.work(work) })
	return s, nil
}

func (c Config) complete() (Config, error) {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return c, fmt.Errorf("the sandbox of payments listens on loopback alone, not on %q", c.Listen)
	}
	if c.End == "" {
		c.End = EndCanceled
	}
	if c.End != EndCanceled && c.End != EndUnpaid {
		return c, fmt.Errorf("a failed payment ends in %s or %s, not in %q", EndCanceled, EndUnpaid, c.End)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Retries == nil {
		c.Retries = []int{3, 5, 7}
	}
	if c.Resend == nil {
		c.Resend = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 5 * time.Minute, time.Hour}
	}
	return c, nil
}

// URL is the address of the API, the pages and, at its root, the control page.
func (s *Sandbox) URL() string { return s.url }

// SecretKey is the API key that is accepted, sk_test_sandbox_…; it outlives a restart.
func (s *Sandbox) SecretKey() string { return s.world.SecretKey }

// WebhookSecret signs the events to Config.WebhookURL, whsec_…; it outlives a restart.
func (s *Sandbox) WebhookSecret() string { return s.world.WebhookSecret }

// Close ends the sandbox: requests and the event on its way may end while ctx lives. Events that were not posted stay
// in the state for the next start.
func (s *Sandbox) Close(ctx context.Context) error {
	s.end()
	err := s.srv.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("end the sandbox of payments: %w", err), s.srv.Close())
	}
	s.ended.Wait()
	s.client.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, s.world.save())
}

// change runs an act on the world, saves what it did and wakes what posts events. What has fallen due happens first.
func (s *Sandbox) change(act func(*world) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.catchUp()
	err := act(s.world)
	if saved := s.world.save(); saved != nil {
		return errors.Join(err, saved)
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return err
}
