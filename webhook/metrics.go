package webhook

import "github.com/prometheus/client_golang/prometheus"

// Metrics are what deliveries count.
type Metrics struct {
	attempts *prometheus.CounterVec
	latency  prometheus.Histogram
	putOff   prometheus.Counter
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_webhook_attempts_total", Help: "Attempts to deliver webhooks, by what became of the delivery.",
		}, []string{"state"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "veracity_webhook_seconds", Help: "Time until a webhook's receiver answered.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}),
		putOff: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "veracity_webhook_put_off_total", Help: "Attempts that waited since their account or slow receivers had their share under way.",
		}),
	}
	reg.MustRegister(m.attempts, m.latency, m.putOff)
	return m
}

func (m *Metrics) attempted(o outcome, state State) {
	m.attempts.WithLabelValues(string(state)).Inc()
	if o.status != nil {
		m.latency.Observe(o.latency.Seconds())
	}
}
