package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"veracity/engine"
)

// measureStills compares optimized pictures with what other programs make of the same pixels: the smallest PNG that is as
// much alike.
func measureStills(ctx context.Context, r *rig, t *table) (err error) {
	dir := filepath.Join(r.dir, "stills")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	sources, err := r.stills(ctx, dir)
	if err != nil {
		return err
	}
	e, err := r.startEngine(ctx, "engine-stills")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	m := &stillRun{engine: e, dir: dir}
	for _, tool := range pngTools() {
		if lacking := tool.missing(); len(lacking) > 0 {
			t.note("%s: not compared, since %s is missing: apt-get install %s", tool.name, strings.Join(lacking, " and "), strings.Join(lacking, " "))
			continue
		}
		m.tools = append(m.tools, tool)
	}
	// The engine's first picture finds cold caches.
	if _, err := e.renderFile(ctx, sources[0].path, filepath.Join(dir, "out.png"), engine.Image); err != nil {
		return fmt.Errorf("optimize %s: %w", sources[0].name, err)
	}
	for _, s := range sources {
		if err := m.compare(ctx, t, s); err != nil {
			return fmt.Errorf("optimize %s: %w", s.name, err)
		}
	}
	m.report(t)
	return nil
}

// still is a source as a PNG file, so that all read the same pixels.
type still struct {
	name, kind, path string
}

// stills are the pictures of the folder that the run was told of, or the drawn ones.
func (r *rig) stills(ctx context.Context, dir string) ([]still, error) {
	if r.options.pictures != "" {
		return foundStills(ctx, r.options.pictures, dir)
	}
	var all []still
	for _, d := range drawings() {
		s := still{name: d.name, kind: "graphics", path: filepath.Join(dir, d.name+".png")}
		if d.photo {
			s.kind = "photographs"
		}
		f, err := os.Create(s.path)
		if err != nil {
			return nil, fmt.Errorf("save a picture: %w", err)
		}
		if err := errors.Join(png.Encode(f, d.image), f.Close()); err != nil {
			return nil, fmt.Errorf("save a picture: %w", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// foundStills has vips turn what pictures a folder holds upright and into sRGB, and make large ones smaller: what a tool
// makes of a picture does not hang on its size, but how long it takes does.
func foundStills(ctx context.Context, folder, dir string) ([]still, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("look for pictures: %w", err)
	}
	var all []still
	for _, entry := range entries {
		switch strings.ToLower(filepath.Ext(entry.Name())) {
		case ".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff":
		default:
			continue
		}
		s := still{name: entry.Name(), kind: "pictures", path: filepath.Join(dir, entry.Name()+".source.png")}
		if _, _, err := tool(ctx, "vipsthumbnail", filepath.Join(folder, entry.Name()), "--size", "1600x1600>",
			"--export-profile", "srgb", "--output", s.path+"[strip]"); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no PNG, JPEG, WebP or TIFF files", folder)
	}
	return all, nil
}

// stillRun compares pictures and keeps the ratios of each kind.
type stillRun struct {
	engine *loneEngine
	tools  []pngTool
	dir    string

	kinds  []string
	ratios map[string][]float64
	// own and peer are what the engine and the best tools took for all pictures.
	own, peer effort
}

// compare has the engine and every tool make one picture smaller.
func (m *stillRun) compare(ctx context.Context, t *table, s still) error {
	source, length, err := readPNG(s.path)
	if err != nil {
		return err
	}
	out := filepath.Join(m.dir, "out.png")
	own := pressed{by: "the engine"}
	own.effort, err = m.engine.measured(func() error {
		_, err := m.engine.renderFile(ctx, s.path, out, engine.Image)
		return err
	})
	if err != nil {
		return err
	}
	made, bytes, err := readPNG(out)
	if err != nil {
		return err
	}
	if own.score, err = likeness(ctx, source, made); err != nil {
		return err
	}
	own.bytes = bytes
	var others []pressed
	var said []string
	for _, tool := range m.tools {
		other, reached, err := tool.best(ctx, source, s.path, m.dir, own.score)
		if err != nil {
			return err
		}
		if !reached {
			said = append(said, tool.name+" does not reach the score")
			continue
		}
		others, said = append(others, other), append(said, other.String())
	}
	t.note("%s of %d KB: %s; %s", s.name, length>>10, own, strings.Join(said, "; "))
	if len(others) == 0 {
		return errors.New("no tool makes anything as much alike")
	}
	best := slices.MinFunc(others, func(a, b pressed) int { return cmp.Compare(a.bytes, b.bytes) })
	m.keep(s.kind, own, best)
	t.add(row{
		what: fmt.Sprintf("PNG of the %s, SSIMULACRA 2 of %.1f", s.name, own.score), figure: kilobytes(own.bytes),
		against: fmt.Sprintf("%s %s", best.by, kilobytes(best.bytes)), ratio: fmt.Sprintf("%.2f", float64(own.bytes)/float64(best.bytes)),
	})
	return nil
}

func (m *stillRun) keep(kind string, own, best pressed) {
	if m.ratios == nil {
		m.ratios = map[string][]float64{}
	}
	if !slices.Contains(m.kinds, kind) {
		m.kinds = append(m.kinds, kind)
	}
	m.ratios[kind] = append(m.ratios[kind], float64(own.bytes)/float64(best.bytes))
	m.own, m.peer = m.own.add(own.effort), m.peer.add(best.effort)
}

// report sums up: sizes by their geometric mean, times by their sum.
func (m *stillRun) report(t *table) {
	for _, kind := range m.kinds {
		t.add(row{
			what: fmt.Sprintf("%d %s, geometric mean", len(m.ratios[kind]), kind), against: "the best tool for each",
			ratio: fmt.Sprintf("%.2f", geometricMean(m.ratios[kind])),
		})
	}
	for _, l := range []struct {
		what      string
		own, peer time.Duration
	}{{"time", m.own.wall, m.peer.wall}, {"processor time", m.own.cpu, m.peer.cpu}} {
		if l.own == 0 {
			t.note("%s of PNGs: not measured, since this system has no /proc", l.what)
			continue
		}
		t.add(row{
			what: l.what + " of all these PNGs", figure: fmt.Sprintf("%.1f s", l.own.Seconds()),
			against: fmt.Sprintf("the best tools, quality known %.1f s", l.peer.Seconds()),
			ratio:   fmt.Sprintf("%.2f", float64(l.own)/float64(l.peer)),
		})
	}
}

func (p pressed) String() string {
	return fmt.Sprintf("%s %s at %.1f in %.1f s", p.by, kilobytes(p.bytes), p.score, p.wall.Seconds())
}

func kilobytes(n int64) string { return fmt.Sprintf("%.1f KB", float64(n)/1024) }
