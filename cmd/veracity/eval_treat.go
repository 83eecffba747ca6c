package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"veracity/engine"
)

// clean is the variant in which nothing is done to a file.
const clean = "clean"

// treatment is something that happens to files on their way through the world.
type treatment struct {
	media engine.Media
	// ending is that of the file it makes.
	ending string
	// flags are what ffmpeg is told between its input and its output, nil where a picture is worked on instead.
	flags []string
	// after, when set, are those of a second pass that unpacks what the first one packed, into a WAV file.
	after []string
	// picture is what is done to an image.
	picture func(ctx context.Context, ffmpeg string, p picture, out string) error
}

// unpack makes a WAV file: the sound as it is after a codec, in a format that every voice lane reads.
var unpack = []string{"-c:a", "pcm_s16le"}

// Treatments by name. Names tell the codec and its quality, or kbit/s.
var known = map[string]treatment{
	"jpeg85":   {media: engine.Image, ending: ".jpg", picture: asJPEG85},
	"resize75": {media: engine.Image, ending: ".jpg", picture: asThreeQuarters},
	"webp80":   {media: engine.Image, ending: ".webp", picture: asWebP80},
	"mp3_64":   {media: engine.Audio, ending: ".mp3", flags: []string{"-vn", "-ac", "1", "-c:a", "libmp3lame", "-b:a", "64k"}, after: unpack},
	"opus_24":  {media: engine.Audio, ending: ".ogg", flags: []string{"-vn", "-ac", "1", "-c:a", "libopus", "-b:a", "24k"}, after: unpack},
	// A call over the telephone network: 300 to 3400 Hz, 8 kHz, G.711 µ-law.
	"phone": {
		media: engine.Audio, ending: ".wav", after: unpack,
		flags: []string{"-vn", "-ac", "1", "-af", "highpass=f=300:p=2,lowpass=f=3400:p=2", "-ar", "8000", "-c:a", "pcm_mulaw"},
	},
	"h264_28": {
		media: engine.Video, ending: ".mp4",
		flags: []string{"-map", "0:v:0", "-map", "0:a:0?", "-c:v", "libx264", "-preset", "veryfast", "-crf", "28", "-pix_fmt", "yuv420p", "-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", "-c:a", "aac", "-b:a", "96k"},
	},
}

// variantsOf are all variants of a kind of media, the clean one first.
func variantsOf(media engine.Media) []string {
	names := []string{}
	for name, t := range known {
		if t.media == media {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return append([]string{clean}, names...)
}

func fits(variant string, media engine.Media) bool {
	return variant == clean || known[variant].media == media
}

// parseVariants reads --degrade.
func parseVariants(names []string) ([]string, error) {
	for i, name := range names {
		if _, found := known[name]; !found && name != clean {
			return nil, usageError{fmt.Errorf("--degrade has %q: images have %s; voice clips %s; videos %s", name,
				strings.Join(variantsOf(engine.Image), ", "), strings.Join(variantsOf(engine.Audio), ", "), strings.Join(variantsOf(engine.Video), ", "))}
		}
		if slices.Contains(names[:i], name) {
			return nil, usageError{fmt.Errorf("--degrade has %s twice", name)}
		}
	}
	return names, nil
}

// mediaOf is the kind of a file by its content; what the product does not take is unpacked as sound where ffmpeg can.
func mediaOf(path string) engine.Media {
	f, err := openLocal(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if f.media == "" && slices.Contains(soundEndings, strings.ToLower(filepath.Ext(path))) {
		return engine.Audio
	}
	return f.media
}

// soundEndings are of formats that recordings are kept in and the product does not take.
var soundEndings = []string{".flac", ".ogg", ".opus", ".oga", ".aiff", ".aif"}

// treatments makes the variants of files, in a folder of its own.
type treatments struct {
	// ffmpeg is the program's path, dir the folder.
	ffmpeg, dir string
}

// newTreatments makes the folder. clear takes it away.
func newTreatments(programs []string) (t treatments, clear func(), err error) {
	for _, path := range programs {
		if filepath.Base(path) == "ffmpeg" {
			t.ffmpeg = path
		}
	}
	t.dir, err = os.MkdirTemp("", "veracity-eval-")
	return t, func() { _ = os.RemoveAll(t.dir) }, err
}

// apply gives the path of a file in a variant; clear takes away what was made.
func (t treatments) apply(ctx context.Context, path, variant string) (made string, clear func(), err error) {
	clear = func() {}
	if variant == clean && !foreign(path) {
		return path, clear, nil
	}
	if t.ffmpeg == "" {
		return "", clear, errNoFFmpeg
	}
	dir, err := os.MkdirTemp(t.dir, "")
	if err != nil {
		return "", clear, fmt.Errorf("make a folder for variants: %w", err)
	}
	clear = func() { _ = os.RemoveAll(dir) }
	if made, err = t.make(ctx, known[variant], path, dir); err != nil {
		clear()
		return "", func() {}, fmt.Errorf("make %s of %s: %w", variant, path, err)
	}
	return made, clear, nil
}

var errNoFFmpeg = errors.New("variants of files are made with ffmpeg, which is not there: install it (`veracity doctor` says more)")

// foreign says whether a file holds sound in a format that the product does not take.
func foreign(path string) bool {
	f, err := openLocal(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return f.media == "" && mediaOf(path) == engine.Audio
}

// make treats a file; the zero treatment unpacks it only.
func (t treatments) make(ctx context.Context, how treatment, path, dir string) (string, error) {
	out := filepath.Join(dir, "made"+how.ending)
	if how.picture != nil {
		p, err := openPicture(ctx, path)
		if err != nil {
			return "", err
		}
		return out, how.picture(ctx, t.ffmpeg, p, out)
	}
	if how.flags != nil {
		if err := convert(ctx, t.ffmpeg, path, out, how.flags); err != nil || how.after == nil {
			return out, err
		}
		path = out
	}
	out = filepath.Join(dir, "unpacked.wav")
	return out, convert(ctx, t.ffmpeg, path, out, unpack)
}

// convert has ffmpeg make one file of another. Nothing that the file says of itself goes along.
func convert(ctx context.Context, ffmpeg, in, out string, flags []string) error {
	args := []string{"-nostdin", "-v", "error", "-protocol_whitelist", "file", "-threads", "1", "-i", in, "-map_metadata", "-1", "-threads", "1"}
	return runFFmpeg(exec.CommandContext(ctx, ffmpeg, append(append(args, flags...), "-y", out)...)) //nolint:gosec // The operator's program on the operator's files.
}

// runFFmpeg runs it and has its last words in the error.
func runFFmpeg(cmd *exec.Cmd) error {
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, oneLine(said.String()))
	}
	return nil
}
