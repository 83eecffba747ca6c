package watermark_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/raster"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
)

const (
	infotext = "a castle at dawn\nNegative prompt: blurry\n" +
		"Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1234, Size: 64x48, Model hash: 0123456789"
	novelAI = `{"Description": "a castle", "Software": "NovelAI", "Source": "NovelAI Diffusion V4.5 4BDE2A90", ` +
		`"Comment": "{\"prompt\": \"a castle\", \"steps\": 28, \"seed\": 20, \"sampler\": \"k_euler\"}"}`
	novelAIObject = `{"Software": "NovelAI", "Comment": {"prompt": "a castle", "steps": 28, "seed": 20, "sampler": "k_euler"}}`
	comfyUI       = `{"3": {"class_type": "KSampler", "inputs": {"seed": 5}}, "4": {"class_type": "EmptyLatentImage", "inputs": {}}}`
)

func TestHiddenParametersOfEveryFormAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, generator string }{
		"WebUI": {infotext, "Stable Diffusion WebUI"}, "NovelAI": {novelAI, "NovelAI"}, "NovelAI's object": {novelAIObject, "NovelAI"},
		"ComfyUI": {comfyUI, "ComfyUI"},
	} {
		for _, form := range []string{"stealth_pnginfo", "stealth_pngcomp", "stealth_rgbinfo", "stealth_rgbcomp"} {
			t.Run(name+" "+form, func(t *testing.T) {
				t.Parallel()
				file := asPNG(t, marktest.Stealth(mediatest.Photo(96, 80), form, c.text))
				r := watermark.Read(decoded(t, file))
				requireAI(t, r, watermark.Stealth, c.generator)
				require.Equal(t, 99, r.Score)
				message := r.Marks[0].Message
				require.Equal(t, form, message.Form)
				require.Equal(t, len(c.text), message.Bytes)
				require.True(t, strings.HasPrefix(c.text, strings.TrimSuffix(message.Text, "…")))
			})
		}
	}
}

func TestAHiddenTextThatIsNoRecordSaysNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"made with Stable Diffusion", `{"Software": "NovelAI"}`, `{"note": "Steps: 20"}`, "Steps: 20, Seed: 5", " ",
		`{"Software": "GIMP", "Source": "NovelAI Diffusion V4.5 4BDE2A90"}`,
	} {
		r := watermark.Read(pixels(marktest.Stealth(mediatest.Photo(64, 64), "stealth_pnginfo", text)))
		require.Equal(t, engine.None, r.Verdict, text)
	}
}

// message is a hidden message as its parts: the length is in bits.
func message(form string, bits uint32, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte(form), bits), body...)
}

func TestDamagedMessagesSayNothing(t *testing.T) {
	t.Parallel()
	bomb := marktest.Gzip(bytes.Repeat([]byte(" "), 8<<20))
	zipped := marktest.Gzip([]byte(infotext))
	bits := func(b []byte) uint32 { return uint32(8 * len(b)) }
	for name, data := range map[string][]byte{
		"no length":          []byte("stealth_pnginfo"),
		"nothing":            message("stealth_pnginfo", 0, nil),
		"longer than pixels": message("stealth_pnginfo", 1<<31, []byte(infotext)),
		"longest":            message("stealth_pngcomp", 1<<32-8, zipped),
		"no whole bytes":     message("stealth_pnginfo", bits([]byte(infotext))-3, []byte(infotext)),
		"cut":                message("stealth_pngcomp", bits(zipped)-160, zipped),
		"no gzip":            message("stealth_pngcomp", bits([]byte(infotext)), []byte(infotext)),
		"too much inside":    message("stealth_pngcomp", bits(bomb), bomb),
		"no text":            message("stealth_pnginfo", 64, []byte("\xff\xfe\x00\x01\x80\x81\x82\x83")),
		"another name":       message("stealth_whatnot", bits([]byte(infotext)), []byte(infotext)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := pixels(marktest.Bits(mediatest.Photo(320, 256), data, true))
			require.Equal(t, engine.None, watermark.Read(m).Verdict)
		})
	}
}

func TestWhateverFollowsTheNameIsReadWithoutPanic(t *testing.T) {
	t.Parallel()
	forms := []string{"stealth_pnginfo", "stealth_pngcomp", "stealth_rgbinfo", "stealth_rgbcomp"}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(130, 200).Draw(t, "height")
		room := width*height/8 - len(form)
		data := append([]byte(form), rapid.SliceOfN(rapid.Byte(), 0, room).Draw(t, "rest")...)
		p := marktest.Bits(image.NewNRGBA(image.Rect(0, 0, width, height)), data, strings.Contains(form, "_png"))
		require.NotEqual(t, engine.AI, watermark.Read(pixels(p)).Verdict)
	})
}

func TestANameIsSeenWhateverFollows(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(40, 40)
	require.True(t, watermark.HasMessage(pixels(marktest.Bits(p, []byte("stealth_rgbcomp"), false))))
	require.True(t, watermark.HasMessage(pixels(marktest.Bits(p, []byte("stealth_pnginfo"), true))))
	require.False(t, watermark.HasMessage(pixels(marktest.Bits(p, []byte("stealth_pnginfo"), false))), "in the wrong place")
	require.False(t, watermark.HasMessage(pixels(marktest.Bits(p, []byte("stealth_whatnot"), true))))
	require.False(t, watermark.HasMessage(&raster.Image{Width: 2, Height: 2, Channels: 4, Pix: make([]byte, 16)}))
}
