package billing

import "github.com/prometheus/client_golang/prometheus"

// Metrics count what is done with events.
type Metrics struct{ events *prometheus.CounterVec }

// NewMetrics registers the counters.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{events: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "veracity_stripe_events_total",
		Help: "Events of the payment service: stored, repeated, refused (signature), worked, not_ours, failed (will be tried again), given_up.",
	}, []string{"outcome"})}
	r.MustRegister(m.events)
	return m
}

func (m *Metrics) count(outcome string) {
	if m != nil {
		m.events.WithLabelValues(outcome).Inc()
	}
}
