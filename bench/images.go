package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"time"
)

const (
	// checksEach and checksLength bound how long one picture is measured: whichever comes first.
	checksEach   = 100
	checksLength = 50 * time.Second
	// block is how many are measured in a row.
	block = 10
	// half is the aim: a check's time as a multiple of what vips alone needs to decode the file.
	half = 1.5
)

// way is one way to send a picture, and how long its checks and the engine's decoding in them took.
type way struct {
	name         string
	body         []byte
	took, decode spread
}

// measureImages compares checks, one caller at a time, with the vips program on the same file.
func measureImages(ctx context.Context, r *rig, t *table) error {
	c, err := r.program.customer(ctx, "checker", 1_000_000)
	if err != nil {
		return err
	}
	// A picture of next to nothing shows what a start of the program costs.
	blank, err := r.draw(16, 16)
	if err != nil {
		return err
	}
	for _, size := range []struct {
		name          string
		width, height int
		wayNames      []string
	}{
		{"1 MP", 1000, 1000, []string{"base64"}},
		{"24 MP", 6000, 4000, []string{"url", "base64"}},
	} {
		p, err := r.draw(size.width, size.height)
		if err != nil {
			return err
		}
		ways := make([]*way, len(size.wayNames))
		for i, name := range size.wayNames {
			if ways[i], err = p.way(name); err != nil {
				return err
			}
		}
		m := imageRun{rig: r, key: c.key, blank: blank, picture: p, ways: ways}
		if err := m.run(ctx); err != nil {
			return err
		}
		m.report(t, fmt.Sprintf("%s (%.1f MB)", size.name, float64(len(p.data))/1e6))
		if err := reportMemory(ctx, r, t, size.name); err != nil {
			return err
		}
	}
	return nil
}

func (p picture) way(name string) (*way, error) {
	write := p.byBase64
	if name == "url" {
		write = p.byURL
	}
	body, err := write()
	return &way{name: name, body: body}, err
}

// imageRun measures one picture: vips on it, vips on nothing, and checks each way, block by block, so that a busy moment
// spoils a part of each alone.
type imageRun struct {
	rig            *rig
	key            string
	blank, picture picture
	ways           []*way

	starts, decodes spread
}

func (m *imageRun) run(ctx context.Context) error {
	client := newClient(1)
	defer client.CloseIdleConnections()
	for end := time.Now().Add(checksLength); len(m.decodes) < checksEach && time.Now().Before(end); {
		for range block {
			if err := m.vips(ctx); err != nil {
				return err
			}
		}
		for _, w := range m.ways {
			if err := m.checks(ctx, client, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// vips takes one time of each.
func (m *imageRun) vips(ctx context.Context) error {
	start, err := vips(ctx, m.blank.path)
	if err != nil {
		return err
	}
	whole, err := vips(ctx, m.picture.path)
	m.starts, m.decodes = append(m.starts, start), append(m.decodes, whole)
	return err
}

// checks sends a block of checks one after another, and one before it that is not counted: after a pause, caches are
// cold.
func (m *imageRun) checks(ctx context.Context, client *http.Client, w *way) error {
	for i := range 1 + block {
		o, err := m.rig.check(ctx, client, m.key, w.body)
		if err != nil {
			return err
		}
		if o.status != http.StatusOK {
			return fmt.Errorf("a check by %s was answered %d %s", w.name, o.status, o.Code)
		}
		if i == 0 {
			continue
		}
		w.took = append(w.took, o.took)
		w.decode = append(w.decode, time.Duration(o.Detail.Timings.Decode*float64(time.Millisecond)))
	}
	return nil
}

// vips decodes a file whole and does next to nothing with its pixels: it sums them up.
func vips(ctx context.Context, path string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "vips", "avg", path) //nolint:gosec // a picture of this run
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("vips avg: %w: %s", err, out)
	}
	return time.Since(start), nil
}

// report compares checks with what vips alone needs: its best time less its best start, since the engine's process is
// there already. The best check shows what a check costs where the machine does nothing else.
func (m *imageRun) report(t *table, what string) {
	alone := m.decodes.at(0) - m.starts.at(0)
	for _, w := range m.ways {
		for _, q := range []struct {
			name string
			at   float64
			aim  string
		}{{"best", 0, ""}, {"p50", 0.5, fmt.Sprintf("at most %.1f", half)}, {"p99", 0.99, fmt.Sprintf("at most %.1f", half)}} {
			took := w.took.at(q.at)
			ratio := float64(took) / float64(alone)
			t.add(row{
				what:    fmt.Sprintf("POST /audit, %s by %s, %s", what, w.name, q.name),
				figure:  fmt.Sprintf("%.1f ms", ms(took)),
				against: fmt.Sprintf("vips decoding %.1f ms", ms(alone)), ratio: fmt.Sprintf("%.2f", ratio),
				aim: q.aim, met: ratio <= half,
			})
		}
		t.note("%s by %s: %d checks, of whose p50 the engine's decoding is %.1f ms; vips with its start took %.1f ms (p50) and %.1f ms (p99)",
			what, w.name, len(w.took), ms(w.decode.at(0.5)), ms(m.decodes.at(0.5)), ms(m.decodes.at(0.99)))
	}
}
