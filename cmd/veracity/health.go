package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"veracity/migrations"
	"veracity/platform/fault"
)

// alive answers /healthz: the process runs.
func alive(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, map[string]string{"status": "alive"})
}

// readyTimeout bounds /readyz, so that a load balancer gets an answer while a part hangs.
const readyTimeout = 5 * time.Second

// part is one thing that the service needs to answer.
type part struct {
	name  string
	check func(context.Context) error
}

func (a *App) parts() []part {
	return []part{
		{"database", a.DB.Ping},
		{"schema", func(ctx context.Context) error { return migrations.Check(ctx, a.DB) }},
		{"storage", a.Store.Ready},
		{"engine", a.Engine.Ready},
	}
}

// ready answers /readyz: 200 when every part answers, else 503, with a word for each. An engine without one of its models
// answers: the service refuses checks and does all else, which a load balancer must not keep from it.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	status, states := http.StatusOK, map[string]string{}
	for _, p := range a.parts() {
		states[p.name] = "ok"
		err := p.check(ctx)
		switch {
		case err == nil:
			continue
		case fault.CodeOf(err) == fault.ModelUnavailable:
			states[p.name] = string(fault.ModelUnavailable)
		default:
			status, states[p.name] = http.StatusServiceUnavailable, "unavailable"
		}
		a.Log.WarnContext(ctx, "not ready", "part", p.name, "error", err)
	}
	writeHealth(w, status, states)
}

func writeHealth(w http.ResponseWriter, status int, states map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(states) // the prober has gone when this fails
}
