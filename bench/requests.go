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
	loads, err := r.webLoads(ctx)
	if err != nil {
		return err
	}
	for _, l := range loads {
		if _, err := load(ctx, r.address, l.requests, l.want, time.Second); err != nil { // connections and plans are made
			return err
		}
	}
	var prepared, simple []float64
	for range rounds {
		slow, err := peer.selects(ctx, "simple", roundLength)
		if err != nil {
			return err
		}
		fast, err := peer.selects(ctx, "prepared", roundLength)
		if err != nil {
			return err
		}
		simple, prepared = append(simple, slow), append(prepared, fast)
		for _, l := range loads {
			if err := l.round(ctx, r.address, fast); err != nil {
				return err
			}
		}
	}
	for _, l := range loads {
		t.add(l.row(median(prepared)))
	}
	t.note("pgbench -S without prepared statements, its default: %.0f/s; 1 account reaches %.2f of it, %d accounts %.2f",
		median(simple), median(loads[1].rates)/median(simple), clients, median(loads[2].rates)/median(simple))
	return nil
}

// webLoads are the load's own ceiling, the requests of one account, and those of as many accounts as there are clients.
func (r *rig) webLoads(ctx context.Context) ([]*webLoad, error) {
	unknown := "/api/v1/audit/" + uuid.NewString()
	ceiling := &webLoad{what: "GET /healthz (the load's own ceiling)", want: http.StatusOK}
	one := &webLoad{what: "GET /audit/{unknown id}, 1 account", want: http.StatusNotFound, aim: quarter}
	many := &webLoad{what: fmt.Sprintf("GET /audit/{unknown id}, %d accounts", clients), want: http.StatusNotFound, aim: quarter}
	var first string
	for i := range clients {
		c, err := r.program.customer(ctx, fmt.Sprintf("reader%d", i), 0)
		if err != nil {
			return nil, err
		}
		if first == "" {
			first = c.key
		}
		ceiling.requests = append(ceiling.requests, get(r.address, "/healthz", ""))
		one.requests = append(one.requests, get(r.address, unknown, first))
		many.requests = append(many.requests, get(r.address, unknown, c.key))
	}
	return []*webLoad{ceiling, one, many}, nil
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

func (l *webLoad) row(peer float64) row {
	r := row{
		what: l.what, figure: fmt.Sprintf("%.0f/s", median(l.rates)),
		against: fmt.Sprintf("pgbench -S prepared %.0f/s", peer), ratio: fmt.Sprintf("%.2f", median(l.ratios)),
	}
	if l.aim > 0 {
		r.aim, r.met = fmt.Sprintf("at least %.2f", l.aim), median(l.ratios) >= l.aim
	}
	return r
}
