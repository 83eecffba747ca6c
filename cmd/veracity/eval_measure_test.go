package main

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/platform/fault"
)

// told is the answer of a pixels lane with this raw score.
func told(raw float64, lane engine.Verdict) engine.Report {
	p := 0.5 + raw/20
	s := int(100 * p)
	return engine.Report{
		Media: engine.Image, Verdict: lane, Score: &s, DecidedBy: engine.ByPixels,
		Lanes: engine.Lanes{Pixels: engine.Lane{Verdict: lane, Score: s}},
		Detail: engine.Detail{Engine: "test", Pixels: laneDetail{Verdict: lane, Model: &model.Score{
			Model: "fake", Version: "3", Rows: 4, Raw: raw, Probability: p,
		}}},
	}
}

// pretend is a trial whose engine answers by the file's name.
func pretend(by map[string]engine.Report, refuse map[string]error) trial {
	return trial{
		examine: func(_ context.Context, path string) (engine.Report, error) {
			return by[filepath.Base(path)], refuse[filepath.Base(path)]
		},
		variants: []string{clean}, by: byPixels, jobs: 3,
		told: func(outcome) error { return nil }, done: func(float64) {},
	}
}

// tinyList has eight files: four that score as AI should, and as many as photographs should, but for one of each.
func tinyList() (list labelledList, answers map[string]engine.Report) {
	list.table = table{name: "dir/list.tsv", sum: "00ff"}
	answers = map[string]engine.Report{}
	add := func(label engine.Verdict, group string, raw float64, said engine.Verdict) {
		name := fmt.Sprintf("%s%d.jpg", label, len(list.samples))
		list.samples = append(list.samples, sample{path: name, name: name, label: label, group: group, repo: "r/" + group})
		answers[name] = told(raw, said)
	}
	for _, raw := range []float64{8, 7, 6} {
		add(engine.AI, "gen", raw, engine.AI)
	}
	add(engine.AI, "quiet", -4, engine.Real)
	for _, raw := range []float64{-8, -7, -6} {
		add(engine.Real, "camera", raw, engine.Uncertain)
	}
	add(engine.Real, "phone", 6.5, engine.AI)
	return list, answers
}

func TestOutcomesComeInTheListsOrder(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	run := pretend(answers, map[string]error{"ai1.jpg": fault.New(fault.UnsupportedMedia, "Broken.")})
	var lines []string
	run.told = func(o outcome) error {
		lines = append(lines, o.scoreLine())
		return nil
	}
	var done float64
	run.done = func(d float64) { done = d }
	outcomes, err := run.run(t.Context(), list.samples)
	require.NoError(t, err)
	require.Len(t, outcomes, 8)
	require.InDelta(t, 1, done, 0)
	require.Equal(t, "ai0.jpg\tai\tgen\tr/gen\t\tclean\tai\t90\tpixels\tai\t4\t8\t0.9\t0\t\n", lines[0])
	require.Equal(t, "ai1.jpg\tai\tgen\tr/gen\t\tclean\t\t\t\t\t\t\t\t\tunsupported_media\n", lines[1])
	require.Len(t, strings.Split(lines[0], "\t"), len(scoreColumns))
}

func TestARunEndsWhenNothingCanBeJudged(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	run := pretend(answers, map[string]error{"ai2.jpg": fault.New(fault.ModelUnavailable, "No model.")})
	_, err := run.run(t.Context(), list.samples)
	require.Equal(t, fault.ModelUnavailable, fault.CodeOf(err))
	require.ErrorContains(t, err, "check ai2.jpg")
}

func TestFiguresOfATinyList(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	outcomes, err := pretend(answers, nil).run(t.Context(), list.samples)
	require.NoError(t, err)
	e := evaluationOf(list, "", byPixels, []string{clean, "jpeg85"}, outcomes)
	require.Equal(t, []string{"fake 3"}, e.Models)
	require.Equal(t, "list.tsv", e.List)
	require.Len(t, e.Variants, 1, "a variant without a file is left out")
	v := e.Variants[0]
	require.InDelta(t, 14./16, v.AUC.Value, 1e-9, "8 and 7 beat four each, 6 and -4 three")
	require.InDelta(t, 0.5, v.Found1.Value, 1e-9)
	require.Equal(t, map[engine.Verdict]int{engine.AI: 3, engine.Real: 1}, v.OnAI.Lane)
	require.InDelta(t, 0.25, v.OnReal.AI.Value, 1e-9)
	require.Equal(t, engine.ByPixels, v.DecidedBy[0].By)
	require.Equal(t, 5, v.DecidedBy[0].Decided)
	require.Equal(t, 1, v.DecidedBy[0].FalseAI)
	require.Equal(t, 1, v.DecidedBy[0].FalseReal)
	require.Len(t, v.Groups, 4)
	require.Equal(t, "gen", v.Groups[0].Group)
	require.InDelta(t, 2./3, v.Groups[0].At1.Value, 1e-9, "two of three score above every photograph")
	require.InDelta(t, 0, v.Groups[1].At1.Value, 1e-9)
	require.InDelta(t, 1, v.Groups[3].LaneAI.Value, 1e-9, "the phone's only photograph is called ai")
}

func TestDrawingsAreCountedAndNotRanked(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	list.samples = append(list.samples, sample{path: "map.png", name: "map.png", label: other, group: "maps"})
	answers["map.png"] = told(9, engine.AI)
	outcomes, err := pretend(answers, nil).run(t.Context(), list.samples)
	require.NoError(t, err)
	v := evaluationOf(list, "", byPixels, []string{clean}, outcomes).Variants[0]
	require.InDelta(t, 14./16, v.AUC.Value, 1e-9, "as without it")
	require.Equal(t, 8, v.Scored)
	require.Equal(t, 1, v.Other)
	require.InDelta(t, 1, v.OnOther.AI.Value, 1e-9)
	require.Len(t, v.Groups, 5)
	require.Nil(t, v.Groups[2].AUC)
	require.Equal(t, "maps", v.Groups[2].Group)
	require.Equal(t, "other: answer", v.answerRows()[4].name)
}

func TestFilesThatTheLanePassesOverAreNotRanked(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	answers["real7.jpg"] = told(6.5, engine.None)
	outcomes, err := pretend(answers, map[string]error{"ai3.jpg": fault.New(fault.InvalidImage, "Empty.")}).run(t.Context(), list.samples)
	require.NoError(t, err)
	v := evaluationOf(list, "", byPixels, []string{clean}, outcomes).Variants[0]
	require.Equal(t, 6, v.Scored)
	require.InDelta(t, 1, v.AUC.Value, 1e-9)
	require.Equal(t, map[fault.Code]int{fault.InvalidImage: 1}, v.Refused)
	require.Equal(t, 1, v.OnReal.Lane[engine.None])
}

func TestTheWholeAnswerIsMeasuredByItsScore(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	silent := told(0, engine.Unavailable)
	silent.Score, silent.Verdict = nil, engine.Unavailable
	answers["ai3.jpg"] = silent
	run := pretend(answers, nil)
	run.by = byVerdict
	outcomes, err := run.run(t.Context(), list.samples)
	require.NoError(t, err)
	v := evaluationOf(list, "", byVerdict, []string{clean}, outcomes).Variants[0]
	require.Equal(t, 7, v.Scored)
	require.Equal(t, 1, v.OnAI.Verdict[engine.Unavailable])
}

func TestReportIsAPageAndItsResults(t *testing.T) {
	t.Parallel()
	list, answers := tinyList()
	list.samples[0].group = "<b>gen</b>"
	outcomes, err := pretend(answers, nil).run(t.Context(), list.samples)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "new", "report")
	require.NoError(t, writeReport(dir, evaluationOf(list, "test", byPixels, []string{clean}, outcomes)))
	page, err := os.ReadFile(filepath.Join(dir, reportPage))
	require.NoError(t, err)
	for _, part := range []string{"Pixels lane measured by list.tsv", "fake 3", "sha256 00ff", "split test", "<polyline", "&lt;b&gt;gen&lt;/b&gt;", "phone", "decided_by"} {
		require.Contains(t, string(page), part)
	}
	for _, part := range []string{"<script", "http://", "https://", "ZgotmplZ", "NaN"} {
		require.NotContains(t, string(page), part)
	}
	results, err := os.ReadFile(filepath.Join(dir, reportResults))
	require.NoError(t, err)
	require.Contains(t, string(results), `"list_sha256": "00ff"`)
	require.Contains(t, string(results), `"found_at_1_percent"`)

	only := evaluationOf(list, "", byPixels, []string{clean}, labelled(outcomes, engine.AI))
	require.NoError(t, writeReport(dir, only))
	page, err = os.ReadFile(filepath.Join(dir, reportPage))
	require.NoError(t, err)
	require.Contains(t, string(page), "There are no curves")
}

func TestListsSayWhatIsWrongWithThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read := func(text, split string) (labelledList, error) {
		name := filepath.Join(dir, "list.tsv")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		table, err := readTable("list", name)
		require.NoError(t, err)
		return readList(table, split)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("a"), 0o600))
	list, err := read("label\tpath\tsplit\tgenerator_or_source\nai\ta.jpg\tdev\tx\nreal\tgone.jpg\ttest\ty\n", "dev")
	require.NoError(t, err)
	require.Equal(t, []sample{{path: filepath.Join(dir, "a.jpg"), name: "a.jpg", label: engine.AI, group: "x", split: "dev"}}, list.samples)
	for text, complaint := range map[string]string{
		"path\nx\n":                         "lacks the column label",
		"path\tlabel\na.jpg\n":              "row 2 is too short",
		"path\tlabel\na.jpg\tfake\n":        `row 2 has the label "fake": ai, real or other is needed`,
		"path\tlabel\n":                     "names no file",
		"path\tlabel\na.jpg\tai\nb\treal\n": "1 of the 2 files",
	} {
		_, err := read(text, "")
		require.ErrorContains(t, err, complaint)
	}
	_, err = read("path\tlabel\tsplit\na.jpg\tai\tdev\n", "test")
	require.ErrorContains(t, err, `names no file of split "test"`)
	_, err = read("path\tlabel\nb\treal\n", "")
	require.ErrorContains(t, err, "train/rebuild.py")
}

func TestVariantsAreNamedAndMade(t *testing.T) {
	t.Parallel()
	_, err := parseVariants([]string{"clean", "jpeg10"})
	require.ErrorContains(t, err, "images have clean, jpeg85, resize75, webp80")
	_, err = parseVariants([]string{"clean", "clean"})
	require.ErrorContains(t, err, "clean twice")

	dir := t.TempDir()
	picture := filepath.Join(dir, "p.png")
	require.NoError(t, os.WriteFile(picture, mediatest.PNG(t, 80, 60, mediatest.WithPicture(mediatest.Flat(80, 60, color.NRGBA{R: 200, G: 10, B: 10, A: 128}))), 0o600))
	treat, clear, err := newTreatments(defaultSettings(os.Getenv).Serve.Exec)
	require.NoError(t, err)
	defer clear()
	for variant, want := range map[string]engine.File{
		"jpeg85": {Format: "jpeg", Width: 80, Height: 60}, "resize75": {Format: "jpeg", Width: 60, Height: 45}, "webp80": {Format: "webp", Width: 80, Height: 60},
	} {
		made, away, err := treat.apply(t.Context(), picture, variant)
		require.NoError(t, err, variant)
		p, err := openPicture(t.Context(), made)
		require.NoError(t, err, variant)
		require.Equal(t, want.Width, p.width, variant)
		require.Equal(t, want.Height, p.height, variant)
		// Half of (200, 10, 10) on white.
		require.InDelta(t, 227, p.rgb[0], 4, variant)
		require.InDelta(t, 132, p.rgb[1], 4, variant)
		away()
		require.NoFileExists(t, made)
	}
	same, away, err := treat.apply(t.Context(), picture, clean)
	require.NoError(t, err)
	require.Equal(t, picture, same)
	away()
	require.FileExists(t, picture)
	require.True(t, fits("phone", engine.Audio))
	require.False(t, fits("phone", engine.Image))
}
