package inspect

import (
	"errors"
	"fmt"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/model/weights"
	"veracity/engine/serve"
	"veracity/platform/fault"
)

// models are the networks of the learned lanes.
type models struct {
	// pixels and voice are nil where the lane is unavailable.
	pixels, voice *model.Model
	// fault says why what the settings name cannot be loaded; checks are refused with it.
	fault error
}

// oneThread is what a run computes with: the engine works on as many files at once as it has cores.
const oneThread = 1

// openModels loads what the settings ask for. A model of the product's own that cannot be loaded leaves its lane
// unavailable, since nobody has asked for it by name.
func openModels(setup serve.Setup) models {
	var m models
	ask := setup.Models
	if ask.Pixels == serve.NoModel && ask.Voice == serve.NoModel {
		return m
	}
	if ask.LibraryNamed {
		if err := model.LoadLibrary(ask.Library); err != nil {
			m.fault = fmt.Errorf("VERACITY_ONNXRUNTIME: %w", err)
		}
	}
	for _, lane := range []struct {
		name model.Lane
		dir  string
		into **model.Model
	}{{model.Pixels, ask.Pixels, &m.pixels}, {model.Voice, ask.Voice, &m.voice}} {
		if lane.dir == serve.NoModel || m.fault != nil {
			continue
		}
		opened, err := model.Open(model.Config{Library: ask.Library, Dir: lane.dir, Lane: lane.name, Threads: oneThread})
		switch {
		case err == nil:
			*lane.into = opened
			setup.Log.Info("model loaded", "lane", lane.name, "model", nameOf(opened), "onnxruntime", model.LibraryVersion())
		case lane.dir != "":
			m.fault = fmt.Errorf("VERACITY_%s_MODEL: %w", upper(lane.name), err)
		case errors.Is(err, weights.ErrNone):
			setup.Log.Warn("this build holds no model for the lane: it is unavailable", "lane", lane.name)
		default:
			setup.Log.Warn("the product's own model is not loaded: the lane is unavailable (veracity doctor says how to mend it)",
				"lane", lane.name, "error", err)
		}
	}
	if m.fault != nil {
		setup.Log.Error("a model that the settings name cannot be loaded: checks answer model_unavailable", "error", m.fault)
	}
	return m
}

// upper is the lane in the names of its variables.
func upper(lane model.Lane) string {
	if lane == model.Voice {
		return "VOICE"
	}
	return "PIXELS"
}

// nameOf is a model as reports and the operator's pages name it.
func nameOf(m *model.Model) string { return m.Spec().Name + "@" + m.Spec().Version }

// Models names the model of each learned lane as NAME@VERSION, or "unavailable".
func (i *inspector) Models() map[string]string {
	said := map[string]string{string(model.Pixels): string(engine.Unavailable), string(model.Voice): string(engine.Unavailable)}
	for lane, opened := range map[model.Lane]*model.Model{model.Pixels: i.models.pixels, model.Voice: i.models.voice} {
		if opened != nil {
			said[string(lane)] = nameOf(opened)
		}
	}
	return said
}

// Fault is why no check is taken: a model that the settings name cannot be loaded. Optimizations need none.
func (i *inspector) Fault() *fault.Fault {
	if i.models.fault == nil {
		return nil
	}
	return fault.Wrap(i.models.fault, fault.ModelUnavailable, "The detection models are not ready. Try again later.")
}
