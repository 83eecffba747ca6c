package media

import (
	"github.com/prometheus/client_golang/prometheus"

	"veracity/engine"
)

// Metrics are what the acts count.
type Metrics struct {
	lanes    *prometheus.HistogramVec
	verdicts *prometheus.CounterVec
	credits  *prometheus.CounterVec
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		lanes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "veracity_engine_lane_seconds", Help: "Time that the engine spent on a lane or step of a check.",
			Buckets: []float64{.001, .005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
		}, []string{"lane"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_verdicts_total", Help: "Finished checks by verdict and by what decided.",
		}, []string{"media", "verdict", "decided_by"}),
		credits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_credits_spent_total", Help: "Credits charged, by call.",
		}, []string{"call"}),
	}
	reg.MustRegister(m.lanes, m.verdicts, m.credits)
	return m
}

func (m *Metrics) checked(r engine.Report, credits int64) {
	for lane, ms := range r.Detail.TimingsMS {
		m.lanes.WithLabelValues(lane).Observe(ms / 1000)
	}
	m.verdicts.WithLabelValues(string(r.Media), string(r.Verdict), string(r.DecidedBy)).Inc()
	m.credits.WithLabelValues("check_" + string(r.Media)).Add(float64(credits))
}
