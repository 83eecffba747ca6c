package main

import (
	"context"
	"fmt"
	"image"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
)

// pngTool makes a PNG smaller in one or more steps. The steps of lossy tools have a quality from 0 to 100.
type pngTool struct {
	name  string
	needs []string
	lossy bool
	steps []func(in, out string, quality int) []string
}

func pngTools() []pngTool {
	optipng := func(in, out string, _ int) []string {
		return []string{"optipng", "-o2", "-quiet", "-strip", "all", "-clobber", "-out", out, in}
	}
	return []pngTool{
		{name: "optipng -o2", needs: []string{"optipng"}, steps: []func(string, string, int) []string{optipng}},
		{name: "vips pngsave", steps: []func(string, string, int) []string{
			func(in, out string, _ int) []string {
				return []string{"vips", "pngsave", in, out, "--compression", "9", "--filter", "all", "--strip"}
			},
		}},
		{name: "vips pngsave --palette", lossy: true, steps: []func(string, string, int) []string{
			func(in, out string, quality int) []string {
				return []string{"vips", "pngsave", in, out, "--palette", "--Q", strconv.Itoa(quality), "--effort", "10", "--compression", "9", "--strip"}
			},
		}},
		{name: "pngquant and optipng -o2", needs: []string{"pngquant", "optipng"}, lossy: true, steps: []func(string, string, int) []string{
			func(in, out string, quality int) []string {
				return []string{"pngquant", "--quality", "0-" + strconv.Itoa(quality), "--strip", "--force", "--output", out, in}
			},
			optipng,
		}},
	}
}

// missing are the programs that a tool needs and this machine lacks.
func (p pngTool) missing() []string {
	var names []string
	for _, name := range p.needs {
		if _, err := exec.LookPath(name); err != nil {
			names = append(names, name)
		}
	}
	return names
}

// pressed is what a tool or the engine made of a picture.
type pressed struct {
	by    string
	bytes int64
	// score is the SSIMULACRA 2 score against the source.
	score float64
	effort
}

// press runs so many of the tool's steps in the given folder and looks at the outcome.
func (p pngTool) press(ctx context.Context, source *image.NRGBA, path, dir string, quality, steps int) (pressed, error) {
	out := pressed{by: p.name}
	if p.lossy {
		out.by = fmt.Sprintf("%s, quality %d", p.name, quality)
	}
	in := path
	for i, step := range p.steps[:steps] {
		next := filepath.Join(dir, fmt.Sprintf("step%d.png", i))
		args := step(in, next, quality)
		took, _, err := tool(ctx, args[0], args[1:]...)
		if err != nil {
			return out, err
		}
		in, out.effort = next, out.add(took)
	}
	made, length, err := readPNG(in)
	if err != nil {
		return out, err
	}
	out.bytes = length
	out.score, err = likeness(ctx, source, made)
	return out, err
}

// best gives the tool's smallest output that is at least as like the source as score says; false when it makes none. The
// quality is searched for, which takes no time in the result: who knows the tool knows its quality.
func (p pngTool) best(ctx context.Context, source *image.NRGBA, path, dir string, score float64) (pressed, bool, error) {
	quality := 0
	if p.lossy {
		var err error
		// The first step alone decides on the pixels. More quality is taken to be more alike.
		quality = sort.Search(101, func(quality int) bool {
			if err != nil {
				return true
			}
			var tried pressed
			tried, err = p.press(ctx, source, path, dir, quality, 1)
			return tried.score >= score
		})
		if err != nil || quality > 100 {
			return pressed{}, false, err
		}
	}
	made, err := p.press(ctx, source, path, dir, quality, len(p.steps))
	return made, err == nil && made.score >= score, err
}
