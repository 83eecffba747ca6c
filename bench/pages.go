package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// firstByteLimit is the aim: how soon the answer to a person who looks at a page begins.
	firstByteLimit = 50 * time.Millisecond
	// firstLoadLimit is how many bytes a page may weigh with all that it names.
	firstLoadLimit = 100_000
	// viewsAlone are the views of each page by one caller, a part of them in each of the rounds; viewsEach are those of each
	// of many callers.
	pageRounds = 20
	viewsAlone = 300
	viewsEach  = 45
)

// accountPath is the page that the aim is set for.
const accountPath = "/account"

// measurePages times the pages that a person with an account of some age looks at, from the request to the first byte of
// the answer, on a server that has shown them before. First one browser looks, then many at once.
func measurePages(ctx context.Context, r *rig, t *table) error {
	owner, err := r.program.customer(ctx, "resident", monthlyGrant)
	if err != nil {
		return err
	}
	browsers, err := r.signIn(ctx, "resident", clients)
	if err != nil {
		return err
	}
	if err := r.live(ctx, owner); err != nil {
		return err
	}
	if _, err := r.program.books(ctx, owner); err != nil {
		return err
	}
	m := &pageRun{address: r.address, cookies: make([]string, len(browsers))}
	for i, b := range browsers {
		m.cookies[i] = b.cookies()
	}
	defer browsers[0].close()
	names, err := m.weigh(ctx, browsers[0])
	if err != nil {
		return err
	}
	m.pages = append(m.pages, &page{name: names[0], path: names[0]}, &page{name: "GET /healthz", path: "/healthz"})
	if err := m.run(ctx); err != nil {
		return err
	}
	m.report(t)
	return nil
}

// page is one address and what was measured of it.
type page struct {
	name, path string
	// alone are the times to the first byte for one caller, crowd those for as many as there are clients.
	alone, crowd spread
	// rates are the answers a second of each round with all clients.
	rates  []float64
	weight weight
}

// portalPages are the pages that are measured: those of an account that read the most, the way to each of them, and the
// one that everybody meets first.
func portalPages() []*page {
	paths := []string{
		accountPath, "/account/usage", "/account/usage?days=90", "/account/requests", "/account/requests?code=rate_limited",
		"/account/keys", "/account/jobs", "/",
	}
	pages := make([]*page, len(paths))
	for i, path := range paths {
		pages[i] = &page{name: path, path: path}
	}
	return pages
}

// pageRun measures all pages, round by round, so that a busy moment spoils a part of each alone.
type pageRun struct {
	address string
	// cookies are those of one signed-in browser each.
	cookies []string
	pages   []*page
}

func (m *pageRun) run(ctx context.Context) error {
	for _, p := range m.pages { // connections, plans and caches are warm after this
		if _, _, err := m.views(ctx, p, m.cookies, 10); err != nil {
			return err
		}
	}
	for range pageRounds {
		for _, p := range m.pages {
			took, _, err := m.views(ctx, p, m.cookies[:1], viewsAlone/pageRounds)
			if err != nil {
				return err
			}
			p.alone = append(p.alone, took...)
		}
	}
	for range rounds {
		for _, p := range m.pages {
			took, rate, err := m.views(ctx, p, m.cookies, viewsEach/rounds)
			if err != nil {
				return err
			}
			p.crowd, p.rates = append(p.crowd, took...), append(p.rates, rate)
		}
	}
	return nil
}

// views looks at a page again and again with each of the cookies over a connection of its own, the next time when the last
// answer has come whole. It gives the times to the first byte and the answers a second.
func (m *pageRun) views(ctx context.Context, p *page, cookies []string, each int) (spread, float64, error) {
	times := make([]spread, len(cookies))
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for i, cookie := range cookies {
		group.Go(func() (err error) {
			times[i], err = firstBytes(ctx, m.address, browse(m.address, p.path, cookie), each)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, 0, fmt.Errorf("look at %s: %w", p.path, err)
	}
	took := time.Since(start)
	var all spread
	for _, s := range times {
		all = append(all, s...)
	}
	return all, float64(len(all)) / took.Seconds(), nil
}

func (m *pageRun) report(t *table) {
	for _, p := range m.pages {
		// The limit is /account's; what stands in no account and changes with none shows the floor.
		t.add(p.row(p.name+", first byte", p.alone, p.weight.whole > 0))
	}
	for _, p := range m.pages {
		t.add(p.row(fmt.Sprintf("%s, %d at once", p.name, clients), p.crowd, p.path == accountPath))
	}
	first, floor := m.pages[0], m.pages[len(m.pages)-1]
	t.add(row{
		what: fmt.Sprintf("%s by %d browsers", first.name, clients), figure: fmt.Sprintf("%.0f/s", median(first.rates)),
		against: fmt.Sprintf("%s %.0f/s", floor.name, median(floor.rates)), ratio: fmt.Sprintf("%.3f", median(first.rates)/median(floor.rates)),
	})
	for _, p := range m.pages {
		if p.weight.whole > 0 {
			t.add(p.weight.row(p.name))
		}
	}
	t.note("pages: %d views of each by one browser, %d by %d at once", viewsAlone, len(first.crowd), clients)
}

// row compares times to the first byte with the limit.
func (p *page) row(what string, took spread, aimed bool) row {
	best, p50, p99 := took.at(0), took.at(0.5), took.at(0.99)
	r := row{
		what: what, figure: fmt.Sprintf("best %.1f, p50 %.1f, p99 %.1f ms", ms(best), ms(p50), ms(p99)),
		against: fmt.Sprintf("limit %.0f ms", ms(firstByteLimit)),
		ratio:   fmt.Sprintf("%.2f, %.2f", ms(p50)/ms(firstByteLimit), ms(p99)/ms(firstByteLimit)),
	}
	if aimed {
		r.aim, r.met = "at most 1", p99 <= firstByteLimit
	}
	return r
}
