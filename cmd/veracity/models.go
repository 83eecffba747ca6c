package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/model/weights"
	"veracity/engine/serve"
)

func (s *Settings) registerModels(fs *pflag.FlagSet) {
	models := &s.Serve.Models
	fs.StringVar(&models.Library, "onnxruntime", models.Library, "shared library of ONNX Runtime 1.22 or newer, which runs the models")
	fs.StringVar(&models.Pixels, "pixels-model", "", "folder of the model of the pixels lane; empty is the product's own, off is none")
	fs.StringVar(&models.Voice, "voice-model", "", "folder of the model of the voice lane; empty is the product's own, off is none")
}

// deriveModels makes paths ones that the engine finds from wherever it runs.
func (s *Settings) deriveModels() error {
	models := &s.Serve.Models
	models.LibraryNamed = models.Library != "" && !s.isDefault("onnxruntime")
	for _, path := range []*string{&models.Library, &models.Pixels, &models.Voice} {
		if *path == "" || (*path == serve.NoModel && path != &models.Library) {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
		*path = absolute
	}
	return nil
}

// examineModels is the doctor's look at the learned lanes.
func (s *Settings) examineModels(state engine.State) []finding {
	folders := map[model.Lane]string{model.Pixels: s.Serve.Models.Pixels, model.Voice: s.Serve.Models.Voice}
	var findings []finding
	for _, lane := range []model.Lane{model.Pixels, model.Voice} {
		what, name := string(lane)+" model", state.Models[string(lane)]
		switch {
		case name != string(engine.Unavailable) && name != "":
			findings = append(findings, finding{What: what, OK: true, Says: name})
		case folders[lane] == serve.NoModel:
			findings = append(findings, finding{What: what, OK: true, Says: "off: the lane answers unavailable"})
		default:
			findings = append(findings, finding{What: what, Says: "none: the lane answers unavailable", Mend: s.mendModel(lane)})
		}
	}
	return findings
}

// mendModel says how a lane comes to the product's own model.
func (s *Settings) mendModel(lane model.Lane) string {
	if _, err := weights.Files(string(lane)); errors.Is(err, weights.ErrNone) {
		return fmt.Sprintf("this build holds none: name a folder with one in %s, or set it to off", envName(string(lane)+"-model"))
	}
	if s.Engine.URL != "" {
		return "run `veracity doctor` on the engine's machine"
	}
	if s.Serve.Models.Library == "" {
		return "install ONNX Runtime's shared library (`make setup`), or name it in VERACITY_ONNXRUNTIME"
	}
	return "see the log of `veracity engine`: " + s.Serve.Models.Library + " or the model cannot be loaded"
}
