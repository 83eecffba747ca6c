package letter

import (
	"github.com/prometheus/client_golang/prometheus"

	"veracity/account"
)

// Metrics are what letters count.
type Metrics struct{ letters *prometheus.CounterVec }

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{letters: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "veracity_letters_total",
		Help: "Tries at mails, by letter and outcome: sent, dropped (pointless by then), failed (tried again) or refused (for good).",
	}, []string{"letter", "outcome"})}
	reg.MustRegister(m.letters)
	return m
}

func (m *Metrics) count(name account.LetterName, outcome string) {
	m.letters.WithLabelValues(string(name), outcome).Inc()
}
