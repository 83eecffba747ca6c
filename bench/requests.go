package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
)

const (
	// clients are the connections of every load, and the sessions of pgbench.
	clients = 16
	// rounds are how often each load runs, side by side with its peer, so that a busy moment spoils one round alone.
	rounds      = 3
	roundLength = 4 * time.Second
	// quarter is the aim: requests a second as a share of pgbench's transactions a second.
	quarter = 0.25
)

// measureRequests compares an authenticated GET, whose work is one statement that reads the key and counts the request,
// with pgbench's one select a transaction.
func measureRequests(ctx context.Context, r *rig, t *table) error {
	peer, err := preparePgbench(ctx, r)
	if err != nil {
		return err
	}
	customers := make([]customer, clients)
	for i := range customers {
		if customers[i], err = r.program.customer(ctx, fmt.Sprintf("reader%d", i), 0); err != nil {
			return err
		}
	}
	unknown := "/api/v1/audit/" + uuid.NewString()
	loads := []*webLoad{
		{what: "GET /healthz (the load's own ceiling)", want: http.StatusOK},
		{what: "GET /audit/{unknown id}, 1 account", want: http.StatusNotFound, aim: quarter},
		{what: fmt.Sprintf("GET /audit/{unknown id}, %d accounts", clients), want: http.StatusNotFound, aim: quarter},
	}
	for i := range clients {
		loads[0].requests = append(loads[0].requests, get(r.address, "/healthz", ""))
		loads[1].requests = append(loads[1].requests, get(r.address, unknown, customers[0].key))
		loads[2].requests = append(loads[2].requests, get(r.address, unknown, customers[i].key))
	}
	for _, l := range loads {
		if _, err := load(ctx, r.address, l.requests, l.want, time.Second); err != nil { // connections and plans are made
			return err
		}
	}
	var selects []float64
	for range rounds {
		n, err := peer.selects(ctx, clients, roundLength)
		if err != nil {
			return err
		}
		selects = append(selects, n)
		for _, l := range loads {
			if err := l.round(ctx, r.address, n); err != nil {
				return err
			}
		}
	}
	for _, l := range loads {
		t.add(l.row(selects))
	}
	return nil
}

// webLoad is one kind of request, what it reached in each round and how that compares with pgbench in the same round.
type webLoad struct {
	what     string
	requests [][]byte
	want     int
	aim      float64

	rates, ratios []float64
}

func (l *webLoad) round(ctx context.Context, address string, peer float64) error {
	rate, err := load(ctx, address, l.requests, l.want, roundLength)
	l.rates, l.ratios = append(l.rates, rate), append(l.ratios, rate/peer)
	return err
}

func (l *webLoad) row(selects []float64) row {
	r := row{
		what: l.what, figure: fmt.Sprintf("%.0f/s", median(l.rates)),
		against: fmt.Sprintf("pgbench -S %.0f/s", median(selects)), ratio: fmt.Sprintf("%.2f", median(l.ratios)),
	}
	if l.aim > 0 {
		r.aim, r.met = fmt.Sprintf("at least %.2f", l.aim), median(l.ratios) >= l.aim
	}
	return r
}
