package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/platform/measure"
)

// modelFlags are what `veracity model test` is told.
type modelFlags struct {
	list, profile, method, split, scores string
	rate, confidence                     float64
	degrade                              []string
	jobs                                 int
	write                                bool
}

func modelCommand(s *Settings) *cobra.Command {
	return group("model", "Try models of the learned lanes", modelTestCommand(s))
}

const modelTestHelp = "Runs a model over the labelled files of a tab-separated list, through the engine in its sandbox as checks do, clean and\n" +
	"degraded. Prints how well it tells AI from photographs or recordings, the calibration that the files ask for and the band\n" +
	"in which the lane is to abstain for a wanted rate of false positives; --write puts both into FOLDER/model.json.\n\n" +
	"The list has the columns path (relative to the list) and label (ai, real or other), and if you have them generator_or_source,\n" +
	"repo and split. A model.json without profiles, or with wrong ones, is tested all the same. docs/evaluation.md says what\n" +
	"the figures mean and how the band is chosen. Keep files back that no calibration saw: `veracity eval` measures on those."

func modelTestCommand(s *Settings) *cobra.Command {
	var f modelFlags
	cmd := &cobra.Command{
		Use: "test FOLDER --list FILE.tsv", Short: "Test a model on labelled files and calibrate it", Args: oneArg("folder"),
		Long: modelTestHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return s.testModel(cmd, args[0], f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.list, "list", "", "tab-separated file with the columns path and label")
	fs.StringVar(&f.profile, "profile", "", "calibration to make: image, video or speech; default that of the list's first file")
	fs.Float64Var(&f.rate, "fpr", 0.01, "share of photographs or recordings that may be called ai, and the other way round")
	fs.Float64Var(&f.confidence, "confidence", 0.95, "how sure that must be, 0 for the measured share itself")
	fs.StringVar(&f.method, "calibrate", isotonic, "isotonic, or platt for few files")
	fs.StringSliceVar(&f.degrade, "degrade", nil, "variants that count; default all of the profile's media")
	fs.BoolVar(&f.write, "write", false, "put calibration and band into FOLDER/model.json")
	registerTrial(fs, &f.split, &f.scores, &f.jobs)
	mandatory(cmd, "list")
	return cmd
}

// Ways to calibrate.
const (
	isotonic = "isotonic"
	platt    = "platt"
)

func (f modelFlags) validate() error {
	switch {
	case !(f.rate > 0 && f.rate < 0.5):
		return usageError{fmt.Errorf("--fpr is %g: a share above 0 and below 0.5 is needed, such as 0.01", f.rate)}
	case !(f.confidence >= 0 && f.confidence < 1):
		return usageError{fmt.Errorf("--confidence is %g: 0 or more and less than 1 is needed, such as 0.95", f.confidence)}
	case f.method != isotonic && f.method != platt:
		return usageError{fmt.Errorf("--calibrate is %q: %s or %s is needed", f.method, isotonic, platt)}
	}
	return nil
}

func (s *Settings) testModel(cmd *cobra.Command, folder string, f modelFlags) error {
	if err := f.validate(); err != nil {
		return err
	}
	spec, err := readModelSpec(folder)
	if err != nil {
		return err
	}
	t, err := readTable("list", f.list)
	if err != nil {
		return err
	}
	list, err := readList(t, f.split)
	if err != nil {
		return err
	}
	profile, err := profileOf(spec.Lane, f.profile, mediaOf(list.samples[0].path))
	if err != nil {
		return err
	}
	list.samples = ofMedia(list.samples, profileMedia[profile])
	if len(list.samples) == 0 {
		return usageError{fmt.Errorf("%s names no file for the profile %s: a list of such files is needed", f.list, profile)}
	}
	variants, err := parseVariants(f.degrade)
	if err != nil {
		return err
	}
	if len(variants) == 0 {
		variants = variantsOf(profileMedia[profile])
	}
	outcomes, err := s.tryModel(cmd, folder, spec, list, tried{variants: variants, by: judged(spec.Lane), scores: f.scores, jobs: f.jobs})
	if err != nil {
		return err
	}
	result, err := calibrate(outcomes, f)
	if err != nil {
		return fmt.Errorf("calibrate %s by %s: %w", folder, f.list, err)
	}
	result.Lane, result.Profile = spec.Lane, profile
	result.Figures = evaluationOf(list, f.split, judged(spec.Lane), variants, result.apply(outcomes))
	if f.write {
		result.Written = filepath.Join(folder, modelSpecName)
		if result.Lacking, err = writeCalibration(result.Written, spec, profile, result.Calibration); err != nil {
			return err
		}
	}
	return s.printTrial(cmd.OutOrStdout(), result)
}

// modelSpecName and modelNetworkName are the files of a model's folder.
const (
	modelSpecName    = "model.json"
	modelNetworkName = "model.onnx"
)

// readModelSpec reads what is needed before the engine checks the rest.
func readModelSpec(folder string) (model.Spec, error) {
	name := filepath.Join(folder, modelSpecName)
	data, err := os.ReadFile(name)
	if err != nil {
		return model.Spec{}, usageError{fmt.Errorf("a folder with %s and %s is needed: %w", modelNetworkName, modelSpecName, err)}
	}
	var spec model.Spec
	// What is not known would be lost when the file is written anew, and no engine takes it.
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&spec); err != nil {
		return model.Spec{}, usageError{fmt.Errorf("%s cannot be read: %w (docs/models.md has its fields)", name, err)}
	}
	if spec.Lane != model.Pixels && spec.Lane != model.Voice {
		return model.Spec{}, usageError{fmt.Errorf("%s: lane is %q: pixels or voice is needed", name, spec.Lane)}
	}
	return spec, nil
}

// profileMedia is the media of each profile.
var profileMedia = map[model.Profile]engine.Media{model.Image: engine.Image, model.Video: engine.Video, model.Speech: engine.Audio}

// laneProfiles are those that a model of each lane is calibrated for.
var laneProfiles = map[model.Lane][]model.Profile{model.Pixels: {model.Image, model.Video}, model.Voice: {model.Speech}}

// profileOf is the profile asked for, or that of the media.
func profileOf(lane model.Lane, asked string, media engine.Media) (model.Profile, error) {
	for _, p := range laneProfiles[lane] {
		if string(p) == asked || (asked == "" && profileMedia[p] == media) {
			return p, nil
		}
	}
	if asked != "" {
		return "", usageError{fmt.Errorf("--profile is %q: a %s model has %q", asked, lane, laneProfiles[lane])}
	}
	return "", usageError{fmt.Errorf("the list's first file is no media that a %s model reads: it has the profiles %q", lane, laneProfiles[lane])}
}

// ofMedia leaves files of other media out: each profile is calibrated by its own. What is no media at all stays, for the
// engine to refuse.
func ofMedia(samples []sample, wanted engine.Media) []sample {
	var kept []sample
	for _, s := range samples {
		if media := mediaOf(s.path); media == wanted || media == "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// tryModel runs a copy of the model whose calibration neither changes nor decides anything, so that a model without one can
// be tested, and one with one is tested by what its network says.
func (s *Settings) tryModel(cmd *cobra.Command, folder string, spec model.Spec, list labelledList, how tried) ([]outcome, error) {
	if s.Engine.URL != "" || s.Engine.Socket != "" {
		return nil, usageError{errors.New("a model is tested by an engine of this machine: run the command without VERACITY_ENGINE_URL")}
	}
	dir, err := os.MkdirTemp("", "veracity-model-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the model's copy: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	network, err := filepath.Abs(filepath.Join(folder, modelNetworkName))
	if err == nil {
		err = os.Symlink(network, filepath.Join(dir, modelNetworkName))
	}
	if err != nil {
		return nil, fmt.Errorf("make a copy of the model: %w", err)
	}
	spec.Profiles = map[model.Profile]model.Calibration{}
	for _, p := range laneProfiles[spec.Lane] {
		spec.Profiles[p] = model.Calibration{Points: logOdds(), Band: model.Band{Real: 0, AI: 1}}
	}
	if err := writeSpec(filepath.Join(dir, modelSpecName), spec); err != nil {
		return nil, err
	}
	if spec.Lane == model.Voice {
		s.Serve.Models.Voice = dir
	} else {
		s.Serve.Models.Pixels = dir
	}
	return s.tryList(cmd, list, how)
}

// logOdds are points that take the raw score for what it is.
func logOdds() measure.Points {
	var points measure.Points
	for raw := -20.0; raw <= 20; raw++ {
		points = append(points, [2]float64{raw, 1 / (1 + math.Exp(-raw))})
	}
	return points
}

// writeCalibration changes one profile of model.json, and says which ones an engine will still ask for.
func writeCalibration(name string, spec model.Spec, profile model.Profile, c model.Calibration) (lacking []model.Profile, err error) {
	profiles := map[model.Profile]model.Calibration{}
	for p, old := range spec.Profiles {
		if slices.Contains(laneProfiles[spec.Lane], p) {
			profiles[p] = old
		}
	}
	profiles[profile] = c
	spec.Profiles = profiles
	for _, p := range laneProfiles[spec.Lane] {
		if _, found := profiles[p]; !found {
			lacking = append(lacking, p)
		}
	}
	return lacking, writeSpec(name, spec)
}

// writeSpec replaces the file in one step, so that an engine never reads half of it.
func writeSpec(name string, spec model.Spec) error {
	part := name + ".new"
	err := os.WriteFile(part, []byte(toJSON(spec)+"\n"), 0o644) //nolint:gosec // What a model is may be read by all.
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
