package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"veracity/platform/fault"
)

// Metrics are what the API counts.
type Metrics struct {
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "veracity_api_requests_total", Help: "Requests by route, status and code (ok when none).",
		}, []string{"route", "status", "code"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "veracity_api_request_seconds", Help: "Time from the first byte of a request to its answer, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
	}
	reg.MustRegister(m.requests, m.latency)
	return m
}

func (m *Metrics) request(route string, code fault.Code, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status), string(code)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}
