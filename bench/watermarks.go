package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/watermark/marktest"
)

// markedSide is that of the pictures that marks are written into, in pixels: one at which generators work.
const markedSide = 1024

// treatment is what happens to a marked picture on its way.
type treatment struct {
	name string
	// draw changes the pixels; nil for none.
	draw func(*image.NRGBA) *image.NRGBA
	// save makes the file out of a PNG: the program vips with these arguments between both names, or with those behind them.
	// Empty keeps the PNG.
	operation string
	options   []string
}

func treatments() []treatment {
	scale := func(side int) func(*image.NRGBA) *image.NRGBA {
		return func(p *image.NRGBA) *image.NRGBA { return marktest.Scale(p, side, side) }
	}
	jpeg := func(quality int, more ...string) []string {
		return append([]string{"--Q", strconv.Itoa(quality)}, more...)
	}
	const three = markedSide * 3 / 4
	return []treatment{
		{name: "nothing"},
		{name: "JPEG 95", operation: "jpegsave", options: jpeg(95)},
		{name: "JPEG 95, chroma halved", operation: "jpegsave", options: jpeg(95, "--subsample-mode", "on")},
		{name: "JPEG 90", operation: "jpegsave", options: jpeg(90)},
		{name: "JPEG 85", operation: "jpegsave", options: jpeg(85)},
		{name: "JPEG 75", operation: "jpegsave", options: jpeg(75)},
		{name: "WebP 90", operation: "webpsave", options: jpeg(90)},
		{name: "0.75 and back", draw: func(p *image.NRGBA) *image.NRGBA { return scale(markedSide)(scale(three)(p)) }},
		{name: "scaling to 0.75", draw: scale(three)},
		{name: "a cut on each side", draw: func(p *image.NRGBA) *image.NRGBA {
			return marktest.Crop(p, image.Rect(67, 101, markedSide-45, markedSide-30))
		}},
		{name: "a tenth brighter", draw: brighter},
	}
}

func brighter(p *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	for i, v := range p.Pix {
		if i%4 == 3 {
			out.Pix[i] = v
			continue
		}
		out.Pix[i] = level(float64(v) * 1.1)
	}
	return out
}

// measureMarks writes every open mark into photographs, sends them through what pictures meet on their way, and has the
// engine look for them. Where no mark was written none may be seen.
func measureMarks(ctx context.Context, r *rig, t *table) (err error) {
	dir := filepath.Join(r.dir, "marks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	e, err := r.startEngine(ctx, "engine-marks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	m := &markRun{engine: e, dir: dir, table: t}
	for _, way := range treatments() {
		if err := m.measure(ctx, way); err != nil {
			return fmt.Errorf("look for marks after %s: %w", way.name, err)
		}
	}
	return m.report()
}

// markRun counts what is seen.
type markRun struct {
	engine *loneEngine
	dir    string
	table  *table
	photos []*image.NRGBA
	// strips and plain count pictures with DALL·E 2's strip and without any mark, over all treatments.
	strips, plain seen
	// marks and decoded are times of the lane and of decoding, in milliseconds.
	marks, decoded []float64
}

// seen counts pictures that were called ai by their marks, of all.
type seen struct{ ai, all int }

func (s *seen) add(ai bool) {
	s.all++
	if ai {
		s.ai++
	}
}

func (s seen) String() string { return fmt.Sprintf("%d of %d", s.ai, s.all) }

func (m *markRun) measure(ctx context.Context, way treatment) error {
	if m.photos == nil {
		m.photos = []*image.NRGBA{
			mediatest.Photo(markedSide, markedSide), paint(markedSide, markedSide, 1, portrait), paint(markedSide, markedSide, 1, foliage),
		}
	}
	var payloads seen
	for _, photo := range m.photos {
		for _, w := range marktest.Generators() {
			if err := m.look(ctx, way, w.Mark(photo), &payloads); err != nil {
				return err
			}
		}
		if err := m.look(ctx, way, marktest.Strip(photo), &m.strips); err != nil {
			return err
		}
		if err := m.look(ctx, way, photo, &m.plain); err != nil {
			return err
		}
	}
	row := row{
		what: "payloads read after " + way.name, figure: payloads.String(), against: "all that were written",
		ratio: fmt.Sprintf("%.2f", float64(payloads.ai)/float64(payloads.all)),
	}
	if way.operation == "" && way.draw == nil {
		row.aim, row.met = "all", payloads.ai == payloads.all
	}
	m.table.add(row)
	return nil
}

// look checks one picture after its treatment.
func (m *markRun) look(ctx context.Context, way treatment, p *image.NRGBA, into *seen) error {
	if way.draw != nil {
		p = way.draw(p)
	}
	path := filepath.Join(m.dir, "marked.png")
	if err := savePNG(path, p); err != nil {
		return err
	}
	if way.operation != "" {
		out := filepath.Join(m.dir, "marked")
		if _, _, err := tool(ctx, "vips", append([]string{way.operation, path, out}, way.options...)...); err != nil {
			return err
		}
		path = out
	}
	var report engine.Report
	err := withSource(path, func(src engine.Source) (err error) {
		report, err = m.engine.CheckImage(ctx, src)
		return err
	})
	if err != nil {
		return err
	}
	into.add(report.Lanes.Watermark.Verdict == engine.AI)
	if way.operation == "jpegsave" && into == &m.plain {
		m.marks = append(m.marks, report.Detail.TimingsMS["watermark"])
		m.decoded = append(m.decoded, report.Detail.TimingsMS["decode"])
	}
	return nil
}

func savePNG(path string, p image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save a picture: %w", err)
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := errors.Join(encoder.Encode(f, p), f.Close()); err != nil {
		return fmt.Errorf("save a picture: %w", err)
	}
	return nil
}

// report adds up. A mark that is seen where none was written breaks a guarantee.
func (m *markRun) report() error {
	m.table.add(row{
		what: "DALL·E 2's strip read after all of these", figure: m.strips.String(), against: "all that were painted",
		ratio: fmt.Sprintf("%.2f", float64(m.strips.ai)/float64(m.strips.all)),
	})
	lane, decoded := median(m.marks), median(m.decoded)
	m.table.add(row{
		what: "looking for marks in 1 megapixel without any", figure: fmt.Sprintf("%.1f ms", lane),
		against: fmt.Sprintf("decoding its JPEG %.1f ms", decoded), ratio: fmt.Sprintf("%.1f", lane/decoded),
		aim: "60 ms", met: lane <= 60,
	})
	m.table.add(row{
		what: "pictures without a mark that are called ai", figure: m.plain.String(), against: "none", aim: "none", met: m.plain.ai == 0,
	})
	if m.plain.ai > 0 {
		return fmt.Errorf("a guarantee broke: marks are seen in %s pictures without any", m.plain)
	}
	return nil
}
