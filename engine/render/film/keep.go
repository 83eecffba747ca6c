package film

import (
	"context"
	"path/filepath"
	"strconv"

	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
)

// maxRest is how much larger than the source's picture the new one must at least become, by the measure of the samples,
// for the encode to be left out. The estimate lies low, so that there is little doubt.
const maxRest = 1.15

// stripped are the filters that a kept picture passes through. Supplemental messages go: cameras put places and serial
// numbers there. The colours are named, as they are in pictures coded anew.
const stripped = "filter_units=remove_types=6," +
	"h264_metadata=video_full_range_flag=0:colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1"

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

// mayKeep says whether the source's picture is of the output's kind, by what Probe found: nothing would change in stage 1.
func (w *work) mayKeep() bool {
	v, s := w.clip.Video, &w.stage
	return v.Codec == "h264" && v.PixelFormat == pixelFormat && !v.VariableRate && v.Rotation == 0 && s.convert == "" &&
		s.tone == nil && !s.cropped() && s.width == v.CodedWidth && s.height == v.CodedHeight && v.Frames <= w.cfg.MaxFrames
}

// canKeep says the same by what the track itself says. A track with more pictures than are shown holds some that an edit
// cut away.
func (w *work) canKeep(t *track) bool {
	s, ok := readSequence(t.config)
	return ok && s.whole && t.upright && t.samples == w.clip.Video.Frames
}

func (w *work) keepArguments() []string {
	return []string{"-c:v", "copy", "-bsf:v", stripped, "-t", number(w.cfg.MaxSeconds)}
}

// keep writes the source's own picture with the output's sound.
func (w *work) keep(ctx context.Context, out string, done func(seconds float64)) (ffmpeg.Clip, error) {
	args := append(w.tool.Input(w.clip), "-map", "0:"+strconv.Itoa(w.clip.Video.Index))
	args = append(append(args, w.keepArguments()...), w.sound.arguments()...)
	args = append(append(args, w.clean()...), out)
	if err := w.tool.Run(ctx, args, done); err != nil {
		return ffmpeg.Clip{}, err
	}
	return w.tool.Probe(ctx, out, probe.MP4)
}

// clean are the options of every file that is written: no metadata of any kind, and the index first.
func (w *work) clean() []string {
	return []string{"-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-movflags", "+faststart", "-f", "mp4"}
}
