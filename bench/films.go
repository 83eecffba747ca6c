package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"veracity/engine"
	"veracity/engine/mediatest"
)

// presets of x264 that stand beside the engine.
func presets() []string { return []string{"medium", "veryfast"} }

// measureFilms compares optimized videos with what ffmpeg makes of the same clips when it is told a preset and a quality:
// the bytes at the same SSIM, which are read off three encodes, and the time of one.
func measureFilms(ctx context.Context, r *rig, t *table) (err error) {
	clips, err := r.films(ctx)
	if err != nil {
		return err
	}
	e, err := r.startEngine(ctx, "engine-films")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	dir := filepath.Join(r.dir, "films")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	sizes, times, efforts := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for _, c := range clips {
		own, err := c.optimize(ctx, e, dir)
		if err != nil {
			return fmt.Errorf("optimize %s: %w", c.name, err)
		}
		for _, preset := range presets() {
			peers, err := c.encodes(ctx, preset, dir, own.ssim)
			if err != nil {
				return fmt.Errorf("encode %s: %w", c.name, err)
			}
			sizes[preset] = append(sizes[preset], c.report(t, preset, own, peers))
			times[preset] = append(times[preset], own.wall.Seconds()/peers[0].wall.Seconds())
			efforts[preset] = append(efforts[preset], own.cpu.Seconds()/peers[0].cpu.Seconds())
		}
	}
	for _, preset := range presets() {
		for _, l := range []struct {
			what, against string
			ratios        []float64
		}{
			{"bytes at equal SSIM", "x264 " + preset, sizes[preset]},
			{"time", "x264 " + preset + " -crf 23", times[preset]},
			{"processor time", "x264 " + preset + " -crf 23", efforts[preset]},
		} {
			if slices.Min(l.ratios) == 0 {
				t.note("%s of MP4s: not measured, since this system has no /proc", l.what)
				continue
			}
			t.add(row{
				what:    fmt.Sprintf("MP4s of %d clips, %s, geometric mean", len(clips), l.what),
				against: l.against, ratio: fmt.Sprintf("%.2f", geometricMean(l.ratios)),
			})
		}
	}
	return nil
}

// film is a source of ten seconds of 720p.
type film struct{ name, path string }

// films draws the clips: what a camera sees, what a screen shows, and what a computer makes up.
func (r *rig) films(ctx context.Context) ([]film, error) {
	if err := os.MkdirAll(r.options.work, 0o750); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	scene, err := r.drawn("scene", mediatest.Photo(1600, 900))
	if err != nil {
		return nil, err
	}
	page, err := r.drawn("page", screen(1280, 2400))
	if err != nil {
		return nil, err
	}
	still := func(path string) []string { return []string{"-loop", "1", "-framerate", "30", "-t", "10", "-i", path} }
	var films []film
	for _, f := range []struct {
		name   string
		input  []string
		filter string
	}{
		// A pan over a landscape, a little out of focus, with faint grain.
		{"camera", still(scene), "gblur=sigma=1.2,crop=1280:720:x='(iw-ow)*(0.5+0.5*sin(t*0.7))':y='(ih-oh)*(0.5+0.5*cos(t*0.5))',noise=alls=2:allf=t"},
		// A page that is scrolled for a second and read for another, under a bar that stays.
		{"screen", still(page), "crop=1280:720:x=0:y='floor(t/2)*320+320*min(mod(t\\,2)\\,1)',drawbox=x=0:y=0:w=1280:h=40:color=0x203A60:t=fill"},
		{"animation", []string{"-f", "lavfi", "-t", "10", "-i", "testsrc2=s=1280x720:r=30"}, "rotate=0.05*sin(t):bilinear=1"},
	} {
		path, err := r.stocked(ctx, "film-"+f.name, append(f.input, "-vf", f.filter+",format=yuv420p",
			"-c:v", "libx264", "-preset", "veryfast", "-crf", "17", "-an")...)
		if err != nil {
			return nil, err
		}
		films = append(films, film{f.name, path})
	}
	return films, nil
}

// drawn keeps a picture in the work folder, by its content, for ffmpeg to make a clip of.
func (r *rig) drawn(name string, p *image.NRGBA) (string, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		return "", fmt.Errorf("encode a picture: %w", err)
	}
	path := filepath.Join(r.options.work, name+"-"+digest(p.Pix)+".png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("save a picture: %w", err)
	}
	return path, nil
}

// encoded is one encode of a clip.
type encoded struct {
	crf   int
	bytes int64
	// ssim is that of luma, the mean of all frames, 0 to 1.
	ssim float64
	effort
}

func (f film) optimize(ctx context.Context, e *loneEngine, dir string) (made encoded, err error) {
	out := filepath.Join(dir, "own.mp4")
	var rendered engine.Rendered
	made.effort, err = e.measured(func() error {
		rendered, err = e.renderFile(ctx, f.path, out, engine.Video)
		return err
	})
	if err != nil {
		return made, err
	}
	made.bytes = rendered.Bytes
	made.ssim, err = ssim(ctx, out, f.path)
	return made, err
}

func (f film) encode(ctx context.Context, preset string, crf int, dir string) (made encoded, err error) {
	out := filepath.Join(dir, "peer.mp4")
	made.crf = crf
	made.effort, err = ffmpeg(ctx, "-i", f.path, "-c:v", "libx264", "-preset", preset, "-crf", strconv.Itoa(crf),
		"-pix_fmt", "yuv420p", "-movflags", "+faststart", "-y", out)
	if err != nil {
		return made, err
	}
	info, err := os.Stat(out)
	if err != nil {
		return made, fmt.Errorf("look at an encode: %w", err)
	}
	made.bytes = info.Size()
	made.ssim, err = ssim(ctx, out, f.path)
	return made, err
}

// encodes makes three, the first at CRF 23 and the others so that they lie around the wanted SSIM.
func (f film) encodes(ctx context.Context, preset, dir string, want float64) ([]encoded, error) {
	var made []encoded
	for len(made) < 3 {
		one, err := f.encode(ctx, preset, nextCRF(made, want), dir)
		if err != nil {
			return nil, err
		}
		made = append(made, one)
	}
	return made, nil
}

var lumaSSIM = regexp.MustCompile(`SSIM (?:.* )?Y:([0-9.]+) `)

// ssim compares two clips frame by frame.
func ssim(ctx context.Context, path, source string) (float64, error) {
	const aligned = "[0:v]settb=1/30,setpts=N[a];[1:v]settb=1/30,setpts=N[b];[a][b]ssim" // containers round times differently
	_, out, err := tool(ctx, "ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-i", path, "-i", source, "-lavfi", aligned, "-f", "null", "-")
	if err != nil {
		return 0, err
	}
	found := lumaSSIM.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("ffmpeg printed no SSIM: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// report adds a clip's row and gives its ratio of bytes.
func (f film) report(t *table, preset string, own encoded, peers []encoded) float64 {
	equal := bytesAt(peers, own.ssim)
	size, plain := float64(own.bytes)/equal, peers[0]
	t.add(row{
		what: fmt.Sprintf("MP4 of the drawn %s, SSIM of %.4f", f.name, own.ssim), figure: fmt.Sprintf("%d KB", own.bytes>>10),
		against: fmt.Sprintf("x264 %s at that SSIM %.0f KB", preset, equal/1024), ratio: fmt.Sprintf("%.2f", size),
	})
	t.note("%s: x264 %s -crf %d makes %d KB of SSIM %.4f in %.1f s (%.1f s of the processors), and the engine took %.1f s (%.1f s); "+
		"its further CRFs for equal SSIM: %d, %d", f.name, preset, plain.crf, plain.bytes>>10, plain.ssim, plain.wall.Seconds(),
		plain.cpu.Seconds(), own.wall.Seconds(), own.cpu.Seconds(), peers[1].crf, peers[2].crf)
	return size
}
