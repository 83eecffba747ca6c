package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"veracity/jobs"
	"veracity/platform/mail"
	views "veracity/views/mail"
)

var (
	poolConns  = prometheus.NewDesc("veracity_database_connections", "Connections of this process's pool, by use.", []string{"use"}, nil)
	queueDepth = prometheus.NewDesc("veracity_queue_depth", "Jobs that could run now and wait, by queue.", []string{"queue"}, nil)
	queueAge   = prometheus.NewDesc("veracity_queue_oldest_seconds", "How long the first of them has waited.", []string{"queue"}, nil)
	// What a task found stays until it looks again, in whichever process.
	findings = map[string]*prometheus.Desc{
		differencesFound: prometheus.NewDesc("veracity_balance_differences", "Balances that differ from their journal; must be 0.", nil, nil),
		straysFound: prometheus.NewDesc("veracity_stray_holds",
			"Credit holds without a live job, or live jobs without their hold; must be 0.", nil, nil),
		billingFound: prometheus.NewDesc("veracity_billing_findings",
			"Accounts whose payments need a person, and events of Stripe that were given up; must be 0.", nil, nil),
	}
)

// depthCollector reads the pool and the queues when it is scraped.
type depthCollector struct{ app *App }

// Describe implements prometheus.Collector.
func (c *depthCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- poolConns
	ch <- queueDepth
	ch <- queueAge
	for _, desc := range findings {
		ch <- desc
	}
}

// scrapeTimeout bounds the queries of a scrape.
const scrapeTimeout = 5 * time.Second

// Collect implements prometheus.Collector.
func (c *depthCollector) Collect(ch chan<- prometheus.Metric) {
	stat := c.app.DB.Stat()
	ch <- prometheus.MustNewConstMetric(poolConns, prometheus.GaugeValue, float64(stat.AcquiredConns()), "busy")
	ch <- prometheus.MustNewConstMetric(poolConns, prometheus.GaugeValue, float64(stat.IdleConns()), "idle")
	ch <- prometheus.MustNewConstMetric(poolConns, prometheus.GaugeValue, float64(stat.MaxConns()), "limit")

	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	depths, err := jobs.Depths(ctx, c.app.DB)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(queueDepth, err)
		return
	}
	for queue, d := range depths {
		ch <- prometheus.MustNewConstMetric(queueDepth, prometheus.GaugeValue, float64(d.Due), queue)
		ch <- prometheus.MustNewConstMetric(queueAge, prometheus.GaugeValue, d.Oldest.Seconds(), queue)
	}
	found, err := jobs.Findings(ctx, c.app.DB)
	for name, desc := range findings {
		if err != nil {
			ch <- prometheus.NewInvalidMetric(desc, err)
			continue
		}
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(found[name]))
	}
}

// metricsOff as an address means that nobody wants metrics.
const metricsOff = "off"

// serveMetrics answers /metrics on its private address until the App is closed.
func (a *App) serveMetrics(ctx context.Context) error {
	if a.Settings.MetricsListen == metricsOff {
		return nil
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.Settings.MetricsListen)
	switch {
	case err == nil:
	case a.Settings.isDefault("metrics-listen"):
		// Nobody asked for this very address, and a second service on the machine has it.
		a.Log.WarnContext(ctx, "metrics are off: their default address is taken", "error", err)
		return nil
	default:
		return usageError{fmt.Errorf("VERACITY_METRICS_LISTEN is %q, which cannot be listened on: choose another address or %s: %w",
			a.Settings.MetricsListen, metricsOff, err)}
	}
	mux := http.NewServeMux()
	// One broken collector must not hide the others.
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.Metrics, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	if box, ok := a.Mail.(*mail.Outbox); ok && a.Settings.development {
		pages := a.outboxPages(box)
		mux.Handle(views.OutboxPath, pages)
		mux.Handle(views.OutboxPath+"/", pages)
	}
	a.private = ln.Addr().String()
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			a.Log.ErrorContext(ctx, "metrics server", "error", err)
		}
	}()
	a.onClose("metrics", srv.Shutdown)
	return nil
}
