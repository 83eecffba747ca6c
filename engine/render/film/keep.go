package film

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
)

// maxRest is how much larger than the source's picture the new one must at least become, by the measure of the samples,
// for the encode to be left out. The estimate lies low, so that there is little doubt.
const maxRest = 1.15

// stripped are the filters that a kept picture passes through. Supplemental messages go: cameras put places and serial
// numbers there. Colours that the source leaves unnamed are named (ITU-T H.264, tables E-3 to E-5), so that no player has
// to guess as stage 1 had to.
func (w *work) stripped() string {
	const filters = "filter_units=remove_types=6"
	if w.clip.Video.Matrix != "" {
		return filters
	}
	const television, sixOhOne = 1, 6 // BT.709, and BT.601 with 525 lines
	code := television
	if w.stage.matrix != standardMatrix {
		code = sixOhOne
	}
	return filters + fmt.Sprintf(",h264_metadata=video_full_range_flag=0:colour_primaries=%d:transfer_characteristics=%d:"+
		"matrix_coefficients=%d", code, code, code)
}

// found is what the source's tracks are, as they are when copied into MP4.
type found struct {
	// picture is the copied picture track when it could stand in the output as it is.
	picture *track
	sound   sound
}

// inspect copies what could stay as it is out of the source, and looks at it.
func (w *work) inspect(ctx context.Context) (found, error) {
	v, s := w.clip.Video, w.clip.Sound
	picture, tune := filepath.Join(w.dir, "picture.mp4"), filepath.Join(w.dir, "sound.mp4")
	args := w.tool.Input(w.clip)
	if w.mayKeep() {
		args = append(append(args, "-map", "0:"+strconv.Itoa(v.Index)), w.keepArguments()...)
		args = append(append(args, w.clean()...), picture)
	}
	if mayCopy(s) {
		args = append(args, "-map", "0:"+strconv.Itoa(s.Index), "-c:a", "copy", "-t", number(w.cfg.MaxSeconds))
		args = append(append(args, w.clean()...), tune)
	}
	if !w.mayKeep() && !mayCopy(s) {
		return found{sound: newSound(s, nil)}, nil
	}
	if err := w.tool.Run(ctx, args, nil); err != nil {
		// What cannot be copied is coded anew; whether that works, the samples will tell.
		return found{sound: newSound(s, nil)}, ctx.Err()
	}
	var f found
	if t := look(picture, "vide"); t != nil && w.canKeep(t) {
		f.picture = t
	}
	f.sound = newSound(s, look(tune, "soun"))
	return f, nil
}

// look is the track of a copied file, nil where there is none.
func look(path, kind string) *track {
	tracks, err := readTracks(path)
	if err != nil {
		return nil
	}
	if t, ok := find(tracks, kind); ok {
		return &t
	}
	return nil
}

// mayKeep says whether the source's picture is of the output's kind, by what Probe found: stage 1 would change nothing, or
// bring BT.601 to BT.709 and nothing else. Players show both alike.
func (w *work) mayKeep() bool {
	v, s := w.clip.Video, &w.stage
	colours := s.matrix == standardMatrix || s.matrix == standardDefinition
	return v.Codec == "h264" && v.PixelFormat == pixelFormat && v.Range != "pc" && colours && s.tone == nil &&
		!v.VariableRate && v.Rotation == 0 && !s.cropped() && s.width == v.CodedWidth && s.height == v.CodedHeight &&
		v.Frames <= w.cfg.MaxFrames
}

// canKeep says the same by what the track itself says. A track with more pictures than are shown holds some that an edit
// cut away.
func (w *work) canKeep(t *track) bool {
	s, ok := readSequence(t.config)
	return ok && s.whole && t.upright && t.samples == w.clip.Video.Frames
}

func (w *work) keepArguments() []string {
	return []string{"-c:v", "copy", "-bsf:v", w.stripped(), "-t", number(w.cfg.MaxSeconds)}
}

// keep writes the source's own picture with the output's sound.
func (w *work) keep(ctx context.Context, out string, done func(seconds float64)) error {
	args := append(w.tool.Input(w.clip), "-map", "0:"+strconv.Itoa(w.clip.Video.Index))
	args = append(append(args, w.keepArguments()...), w.sound.arguments()...)
	args = append(append(args, w.clean()...), out)
	return w.tool.Run(ctx, args, done)
}

// clean are the options of every file that is written: no metadata of any kind, and the index first.
func (w *work) clean() []string {
	return []string{"-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-movflags", "+faststart", "-f", "mp4"}
}
