// Package voice listens to the sound of a clip: whether there is any, where somebody speaks, and what each stretch of it
// says of its origin. It takes samples, so it knows no file formats and no decoders; what a verdict on a whole clip rests
// on is decided in package engine.
//
// Speech is found without a trained model: by voicing (normalised autocorrelation) in frames that stand out of an
// adaptive noise floor in many bands at once, with hangover over the unvoiced sounds around them. See detect.go for where
// each part comes from. Music whose tones change can pass for speech, and whispering does not: the finder says where a
// model should listen, and takes no part in a verdict.
package voice

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"veracity/engine"
	"veracity/engine/model"
)

// Rate is the sampling rate that [Reader.Read] takes and models hear, in Hz.
const Rate = model.VoiceRate

// maxSeconds bounds what one call holds: a little more than the longest clip, at 32 kB a second.
const maxSeconds = engine.MaxClipSeconds + 10

// silentBelow is the level, in dBFS, that a silent track never reaches: under it lies the noise of a 16-bit recording
// without a microphone.
const silentBelow = -60

// ErrTooLong says that the stream holds more sound than a clip may.
var ErrTooLong = errors.New("more sound than a clip may have")

// Window is a stretch of the clip that is judged on its own.
type Window struct {
	// T is where it begins and Seconds how long it is; windows overlap.
	T       float64 `json:"t"`
	Seconds float64 `json:"seconds"`
	// Speech is how many of its seconds hold speech.
	Speech float64 `json:"speech"`
	// Level is its loudness in dBFS (a sine at full scale has 0), -99 at the least.
	Level float64 `json:"level"`
	// Lane is what the window says by itself: none with less than a second of speech, unavailable without a model.
	Lane engine.Lane `json:"lane"`
	// Raw is the model's log-odds of AI, nil where it has not heard the window.
	Raw *float64 `json:"raw,omitempty"`
}

// Report is what a clip's sound holds.
type Report struct {
	// Verdict is what the windows say together: ai, real, uncertain, none (no window has a second of speech, or the model has
	// nothing to say of them) or unavailable (no model is set up). They hold one voice and are no independent evidence, so the
	// model's scores of them are averaged before they are calibrated.
	Verdict engine.Verdict `json:"verdict"`
	// Score is the calibrated probability of AI in percent, 50 where there is none.
	Score int `json:"score"`
	// Model names the model and gives what it said before and after calibration; nil without one.
	Model *model.Score `json:"model,omitempty"`
	// Seconds is the length by its samples.
	Seconds float64 `json:"seconds"`
	// Silent says that the level stays under -60 dBFS throughout.
	Silent bool `json:"silent"`
	// Level is the loudest moment in dBFS, -99 at the least.
	Level         float64 `json:"level"`
	SpeechSeconds float64 `json:"speech_seconds"`
	// Windows cover the whole clip, in order; none when there are no samples.
	Windows []Window `json:"windows"`
}

// Reader reads the sound of clips.
type Reader struct {
	// Model judges the windows; nil says `unavailable`.
	Model Network
}

// Read reads samples (signed 16-bit little-endian, mono, at Rate) to their end, finds speech in them and judges every
// window. It holds the whole clip: 6 MB for the longest. Errors: ErrTooLong, those of samples and of the model, and ctx's
// own.
func (r Reader) Read(ctx context.Context, samples io.Reader) (Report, error) {
	pcm, err := readAll(ctx, samples)
	if err != nil {
		return Report{}, fmt.Errorf("read the sound: %w", err)
	}
	frames, err := analyse(ctx, pcm)
	if err != nil {
		return Report{}, err
	}
	spoken, spans := detect(frames, pcm), windowsOf(len(pcm))
	out := Report{Seconds: seconds(len(pcm)), Level: frames.loudest(0, frames.count), SpeechSeconds: spoken.seconds(0, len(pcm))}
	out.Silent = out.Level < silentBelow
	for _, span := range spans {
		out.Windows = append(out.Windows, Window{
			T: seconds(span.from), Seconds: seconds(span.to - span.from),
			Speech: spoken.seconds(span.from, span.to), Level: levelOf(pcm[span.from:span.to]),
		})
	}
	if err := out.judge(ctx, r.Model, pcm, spoken, spans); err != nil {
		return Report{}, err
	}
	return out, nil
}

// readAll reads the stream whole; an odd last byte is half a sample and is dropped.
func readAll(ctx context.Context, r io.Reader) ([]int16, error) {
	const block = 64 << 10
	var pcm []int16
	buf := make([]byte, block)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(r, buf)
		for i := 0; i+1 < n; i += 2 {
			pcm = append(pcm, int16(binary.LittleEndian.Uint16(buf[i:]))) //nolint:gosec // samples are signed
		}
		switch {
		case len(pcm) > maxSeconds*Rate:
			return nil, ErrTooLong
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return pcm, nil
		case err != nil:
			return nil, err
		}
	}
}

// seconds is the length of n samples, to the millisecond.
func seconds(n int) float64 { return math.Round(float64(n)/Rate*1000) / 1000 }
