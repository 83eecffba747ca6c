package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
)

// shaded is a textured picture between two levels.
func shaded(tb testing.TB, seed int, low, high uint8) []byte {
	tb.Helper()
	const side = 160
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	from := mediatest.Photo(side+seed, side+seed)
	for y := range side {
		for x := range side {
			c := from.NRGBAAt(x+seed, y+seed)
			scale := func(v uint8) uint8 { return low + uint8(int(v)*int(high-low)/255) }
			m.SetNRGBA(x, y, color.NRGBA{R: scale(c.R), G: scale(c.G), B: scale(c.B), A: 255})
		}
	}
	return mediatest.JPEG(tb, side, side, mediatest.WithPicture(m), mediatest.WithQuality(92))
}

func TestAModelIsTestedCalibratedAndThenUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := strings.Builder{}
	list.WriteString("path\tlabel\tgenerator_or_source\n")
	for i := range 8 {
		for label, levels := range map[string][2]uint8{"ai": {110, 230}, "real": {20, 140}} {
			name := fmt.Sprintf("%s%d.jpg", label, i)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), shaded(t, i, levels[0], levels[1]), 0o600))
			list.WriteString(name + "\t" + label + "\tmade " + label + "\n")
		}
	}
	listed := filepath.Join(dir, "list.tsv")
	require.NoError(t, os.WriteFile(listed, []byte(list.String()), 0o600))
	spec := modeltest.PixelsSpec()
	spec.Profiles = nil
	folder := modeltest.Folder(t, spec, modeltest.PixelsNetwork().ONNX())

	c := newConsole(t, true)
	c.fails(exitUsage, "--fpr is 0.7", "model", "test", folder, "--list", listed, "--fpr", "0.7")
	c.fails(exitUsage, `--profile is "speech"`, "model", "test", folder, "--list", listed, "--profile", "speech")
	code, out, complaint := c.run("model", "test", folder, "--list", listed, "--degrade", "clean,jpeg85")
	require.Equal(t, exitOK, code, complaint)
	require.Contains(t, out, "299 without an error would do")
	require.NotContains(t, out, "written to")

	got := c.json("model", "test", folder, "--list", listed, "--degrade", "clean,jpeg85,resize75,webp80", "--confidence", "0", "--json", "--write")
	require.Equal(t, "image", got["profile"])
	variants := got["figures"].(map[string]any)["variants"].([]any)
	require.Len(t, variants, 4)
	for _, v := range variants {
		require.InDelta(t, 1, v.(map[string]any)["auc"].(map[string]any)["value"], 1e-9)
	}
	text, err := os.ReadFile(filepath.Join(folder, modelSpecName))
	require.NoError(t, err)
	var written model.Spec
	require.NoError(t, json.Unmarshal(text, &written))
	require.Contains(t, written.Profiles, model.Image)
	require.NotContains(t, written.Profiles, model.Video, "a profile that was not tested is not made up")
	require.Greater(t, written.Profiles[model.Image].Band.AI, 0.5)

	// An engine asks for every profile of its lane; the video's is not what is tested here.
	written.Profiles[model.Video] = written.Profiles[model.Image]
	require.NoError(t, writeSpec(filepath.Join(folder, modelSpecName), written))
	scores := filepath.Join(dir, "scores.tsv")
	code, out, complaint = c.run("eval", "--manifest", listed, "--pixels-model", folder, "--scores", scores, "--report", filepath.Join(dir, "report"))
	require.Equal(t, exitOK, code, complaint)
	require.Regexp(t, `ai: lane +8 +100.0 %`, out)
	require.Regexp(t, `real: lane +8 +0.0 % +100.0 %`, out)
	require.Contains(t, out, "model brightness 1")
	lines, err := os.ReadFile(scores)
	require.NoError(t, err)
	require.Equal(t, 17, strings.Count(string(lines), "\n"))
	require.FileExists(t, filepath.Join(dir, "report", reportPage))
}

func TestBandOfATrialIsTheLanesOwn(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	outcomes, err := pretend(answers, nil).run(t.Context(), list.samples)
	require.NoError(t, err)
	trial, err := calibrate(outcomes, modelFlags{rate: 0.01, method: isotonic})
	require.NoError(t, err)
	trial.Lane = model.Pixels
	lanes := map[engine.Verdict]int{}
	for _, o := range trial.apply(outcomes) {
		lanes[o.lane]++
		require.Equal(t, o.lane, o.verdict)
		if o.label == engine.Real {
			require.NotEqual(t, engine.AI, o.lane, "%s: none of four may be wrong", o.name)
		}
	}
	require.InDelta(t, 6.5, outcomes[7].reading.Raw, 0)
	require.InDelta(t, 0.825, outcomes[7].reading.Probability, 1e-9, "what was tried stays as it was")
	_, err = calibrate(labelled(outcomes, engine.AI), modelFlags{rate: 0.01, method: platt})
	require.ErrorContains(t, err, "cases of both classes are needed: 4 of 4 outcomes have a score")
}

func TestTheBandProtectsDrawingsToo(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	for i := range 2 {
		name := fmt.Sprintf("map%d.png", i)
		list.samples = append(list.samples, sample{path: name, name: name, label: other, group: "maps"})
		answers[name] = told(7.5, engine.AI)
	}
	outcomes, err := pretend(answers, nil).run(t.Context(), list.samples)
	require.NoError(t, err)
	trial, err := calibrate(outcomes, modelFlags{rate: 0.01, method: isotonic})
	require.NoError(t, err)
	for _, o := range trial.apply(outcomes) {
		if o.label == other {
			require.NotEqual(t, engine.AI, o.lane, o.name)
		}
	}
	without, err := calibrate(only(outcomes, func(o outcome) bool { return o.label != other }), modelFlags{rate: 0.01, method: isotonic})
	require.NoError(t, err)
	require.Equal(t, without.Calibration.Points, trial.Calibration.Points, "probabilities are those of photographs and AI")
	require.Greater(t, trial.Calibration.Band.AI, without.Calibration.Band.AI)
}

func TestAProfileIsCalibratedByItsOwnMedia(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var list []sample
	for name, data := range map[string][]byte{"a.jpg": shaded(t, 0, 0, 255), "b.wav": mediatest.WAV(1), "c.jpg": []byte("nothing")} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		list = append(list, sample{path: path, name: name})
	}
	names := func(media engine.Media) (kept []string) {
		for _, s := range ofMedia(list, media) {
			kept = append(kept, s.name)
		}
		return kept
	}
	require.ElementsMatch(t, []string{"a.jpg", "c.jpg"}, names(engine.Image))
	require.ElementsMatch(t, []string{"b.wav", "c.jpg"}, names(engine.Audio))
	require.ElementsMatch(t, []string{"c.jpg"}, names(engine.Video))
}
