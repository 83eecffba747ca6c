// Package inspect puts the engine's lanes together: it finds out what a file is, decodes it once, has every lane read it
// side by side and lets the verdict policy decide. It runs in the engine's process alone. No lane's own logic lives here.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/pixels"
	"veracity/engine/provenance"
	"veracity/engine/raster"
	"veracity/engine/serve"
	"veracity/engine/trust"
	"veracity/engine/watermark"
	"veracity/platform/fault"
)

// Version names the set of lanes that made a report.
const Version = "2026.11"

// file is what a lane reads.
type file struct {
	data  []byte
	image *raster.Image
	// marks and seen add up what the frames of one video say; nil for images.
	marks *watermark.Clip
	seen  *pixels.Clip
}

// reading is what one lane says; exactly one of its parts is set, by the lane's own place in the lanes.
type reading struct {
	lane       engine.Lane
	provenance engine.ProvenanceLane
	detail     any
}

// lane is one way to look at a file.
type lane struct {
	name string
	read func(ctx context.Context, f file) (reading, error)
	// put writes the reading into the report.
	put func(r *engine.Report, got reading)
}

// frameLanes look at pixels alone, in no order: adding one is a package and a line. They read the frames of videos too.
func frameLanes(m pixels.Network) []lane {
	return []lane{
		{"watermark", readMarks, func(r *engine.Report, got reading) { r.Lanes.Watermark, r.Detail.Watermark = got.lane, got.detail }},
		{"pixels", readPixels(m), func(r *engine.Report, got reading) { r.Lanes.Pixels, r.Detail.Pixels = got.lane, got.detail }},
	}
}

// imageLanes are all that look at an image.
func imageLanes(reader provenance.Reader, m pixels.Network) []lane {
	return append([]lane{
		{"provenance", readProvenance(reader), func(r *engine.Report, got reading) {
			r.Lanes.Provenance, r.Detail.Provenance = got.provenance, got.detail
		}},
	}, frameLanes(m)...)
}

// undecided is the score of a lane that cannot lean to either side.
const undecided = 50

// readPixels is the lane of what a learned model sees. A frame is read by the model of its video.
func readPixels(m pixels.Network) func(context.Context, file) (reading, error) {
	return func(ctx context.Context, f file) (reading, error) {
		var said pixels.Report
		var err error
		if f.seen != nil {
			said, err = f.seen.Add(ctx, f.image)
		} else {
			said, err = pixels.Read(ctx, m, f.image)
		}
		return reading{lane: said.Lane(), detail: said}, err
	}
}

// readMarks is the lane of the marks that generators leave in pixels.
func readMarks(_ context.Context, f file) (reading, error) {
	if f.marks != nil {
		return reading{lane: f.marks.Add(f.image).Lane()}, nil
	}
	said := watermark.Read(f.image)
	return reading{lane: said.Lane(), detail: said}, nil
}

// readProvenance is the lane of what a file says of itself.
func readProvenance(reader provenance.Reader) func(context.Context, file) (reading, error) {
	return func(ctx context.Context, f file) (reading, error) {
		said, err := reader.Image(ctx, f.data)
		return reading{provenance: said.Lane(), detail: said}, err
	}
}

// inspector implements serve.Inspector.
type inspector struct {
	decoder    *raster.Decoder
	tool       *ffmpeg.Tool
	provenance provenance.Reader
	imageLanes []lane
	frameLanes []lane
	models     models
	// pixels and voice are the models that the lanes read with, nil for none.
	pixels, voice pixels.Network
	log           *slog.Logger
}

// New starts libvips in this process and gives the engine's inspector. It is a serve.Factory.
func New(_ context.Context, setup serve.Setup) (serve.Inspector, error) {
	tool, err := newTool(setup)
	if err != nil {
		return nil, fmt.Errorf("set up ffmpeg: %w", err)
	}
	//nolint:contextcheck // libvips logs from threads that have no context.
	decoder, err := raster.Startup(raster.DefaultConfig(), setup.Log)
	if err != nil {
		return nil, fmt.Errorf("start libvips: %w", err)
	}
	lists, err := trust.Open(setup.Trust, setup.Log)
	if err != nil {
		return nil, err
	}
	reader, loaded := provenance.Reader{Lists: lists.Lists}, openModels(setup)
	i := &inspector{decoder: decoder, tool: tool, provenance: reader, models: loaded, log: setup.Log}
	i.readWith(network(loaded.pixels), network(loaded.voice))
	return i, nil
}

// readWith sets the learned lanes up with models, nil for none.
func (i *inspector) readWith(sight, ear pixels.Network) {
	i.pixels, i.voice = sight, ear
	i.imageLanes, i.frameLanes = imageLanes(i.provenance, sight), frameLanes(sight)
}

// newTool is nil where the settings name no programs: an engine without them reads images alone.
func newTool(setup serve.Setup) (*ffmpeg.Tool, error) {
	if setup.FFmpeg == "" || setup.FFprobe == "" {
		setup.Log.Warn("ffmpeg or ffprobe is missing: videos and voice clips cannot be read")
		return nil, nil
	}
	cfg := ffmpeg.DefaultConfig()
	cfg.FFmpeg, cfg.FFprobe, cfg.Log = setup.FFmpeg, setup.FFprobe, setup.Log
	return ffmpeg.New(cfg)
}

// Inspect reads one image file. Its faults are model_unavailable and those of [raster.Decoder.Decode].
func (i *inspector) Inspect(ctx context.Context, data []byte) (engine.Report, error) {
	start := time.Now()
	if f := i.Fault(); f != nil {
		return engine.Report{}, f
	}
	found, image, err := i.decode(ctx, data)
	if err != nil {
		return engine.Report{}, err
	}
	report := engine.Report{Media: engine.Image, Detail: engine.Detail{
		File: found, TimingsMS: map[string]float64{"decode": since(start)}, Engine: Version,
	}}
	if err := readAll(ctx, i.imageLanes, &report, file{data: data, image: image}); err != nil {
		return engine.Report{}, err
	}
	report.Verdict, report.Score, report.DecidedBy = engine.Decide(report.Lanes)
	report.Detail.TimingsMS["total"] = since(start)
	return report, nil
}

// readAll runs the lanes side by side. A lane that fails or panics fails the check: half a reading could tip a verdict.
func readAll(ctx context.Context, lanes []lane, report *engine.Report, f file) error {
	type outcome struct {
		reading
		took float64
		err  error
	}
	outcomes := make([]chan outcome, len(lanes))
	for i, l := range lanes {
		outcomes[i] = make(chan outcome, 1)
		go func() {
			start := time.Now()
			got, err := guarded(ctx, l, f)
			outcomes[i] <- outcome{got, since(start), err}
		}()
	}
	var errs []error
	for i, l := range lanes {
		o := <-outcomes[i]
		report.Detail.TimingsMS[l.name] = o.took
		l.put(report, o.reading)
		errs = append(errs, o.err)
	}
	return errors.Join(errs...)
}

func guarded(ctx context.Context, l lane, f file) (got reading, err error) {
	defer recovered("lane "+l.name, &err)
	got, err = l.read(ctx, f)
	if err != nil {
		return reading{}, fmt.Errorf("read the %s lane: %w", l.name, err)
	}
	return got, nil
}

// recovered, deferred, makes a panic an error: on a goroutine of a check's own it would end the engine and the checks of
// others with it.
func recovered(what string, err *error) {
	if p := recover(); p != nil {
		*err = fault.Wrap(fmt.Errorf("%s panicked: %v", what, p), fault.EngineError, "The check failed on our side.")
	}
}

func since(start time.Time) float64 {
	return float64(time.Since(start).Microseconds()) / 1000
}
