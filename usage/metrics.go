package usage

import "github.com/prometheus/client_golang/prometheus"

// Metrics are what the request log counts of itself.
type Metrics struct {
	written prometheus.Counter
	dropped prometheus.Counter
	retries prometheus.Counter
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		written: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "veracity_request_log_written_total", Help: "Requests written to the request log.",
		}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "veracity_request_log_dropped_total", Help: "Requests that the request log lost since the database did not take them in time; should be 0.",
		}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "veracity_request_log_retries_total", Help: "Writes of the request log that failed and were tried again.",
		}),
	}
	reg.MustRegister(m.written, m.dropped, m.retries)
	return m
}
