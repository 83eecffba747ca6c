package media

import (
	"github.com/prometheus/client_golang/prometheus"

	"veracity/engine"
	"veracity/platform/fault"
)

// Metrics are what the acts count.
type Metrics struct {
	lanes    *prometheus.HistogramVec
	verdicts *prometheus.CounterVec
	credits  *prometheus.CounterVec
	failures *prometheus.CounterVec
	saved    *prometheus.CounterVec
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
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_jobs_failed_total", Help: "Jobs that ended with a failure, by kind and code.",
		}, []string{"kind", "code"}),
		saved: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_optimizations_total", Help: "Optimizations that succeeded, by zone of their score.",
		}, []string{"media", "zone"}),
	}
	reg.MustRegister(m.lanes, m.verdicts, m.credits, m.failures, m.saved)
	return m
}

func (m *Metrics) checked(r engine.Report, credits int64) {
	for lane, ms := range r.Detail.TimingsMS {
		m.lanes.WithLabelValues(lane).Observe(ms / 1000)
	}
	m.verdicts.WithLabelValues(string(r.Media), string(r.Verdict), string(r.DecidedBy)).Inc()
	m.credits.WithLabelValues("check_" + string(r.Media)).Add(float64(credits))
}

func (m *Metrics) optimized(media engine.Media, out engine.Rendered, credits int64) {
	m.saved.WithLabelValues(string(media), string(out.Score.Zone)).Inc()
	m.credits.WithLabelValues("optimize_" + string(media)).Add(float64(credits))
}

func (m *Metrics) failed(kind string, code fault.Code) {
	m.failures.WithLabelValues(kind, string(code)).Inc()
}
