package provenance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// commented is a clip with a comment.
func commented(text string) clipFile {
	return mp4(sample.UserData(sample.ItemList(sample.TextItem("\xA9cmt", text))))
}

func encoded(text string) clipFile {
	return mp4(sample.UserData(sample.ItemList(sample.TextItem("\xA9too", text))))
}

// nodes is a ComfyUI prompt of nodes of the classes.
func nodes(classes ...string) string {
	var all []string
	for i, class := range classes {
		all = append(all, `"`+string(rune('1'+i))+`": {"class_type": "`+class+`", "inputs": {}}`)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func prompted(classes ...string) clipFile {
	return mp4(sample.UserData(sample.Keys("prompt", nodes(classes...))))
}

func TestGeneratorsOfClipsAreRecognised(t *testing.T) {
	t.Parallel()
	source := "https://suno.com/song/" + uuid
	tests := map[string]struct {
		clip   clipFile
		kind   provenance.Kind
		ai     provenance.Extent
		issuer string
	}{
		"Suno as comment":         {wav(info("ICMT", suno)), provenance.Tool, provenance.Full, "Suno"},
		"Suno as description":     {mp3(sample.ID3(4, 0, sample.ID3Text("description", suno))), provenance.Tool, provenance.Full, "Suno"},
		"Suno's stems":            {wav(info("ICMT", "made with suno studio; created=2026-08-17T06:38:06.123Z")), provenance.Tool, provenance.Partly, "Suno"},
		"Suno as source":          {mp3(sample.ID3(4, 0, sample.ID3Frame(4, "WOAS", []byte(source)))), provenance.Tool, provenance.Full, "Suno"},
		"Suno as source, ID3v2.2": {mp3(sample.ID3(2, 0, sample.ID3Frame(2, "WAS", []byte(source)))), provenance.Tool, provenance.Full, "Suno"},
		"WanGP": {
			commented(`{"type": "WanGP v8.21 by DeepBeepMeep - Wan2.2", "prompt": "a duck", "seed": 4}`),
			provenance.Parameters, provenance.Full, "WanGP",
		},
		"settings of a diffusion run": {
			commented(`{"prompt": "a duck", "seed": 4, "num_inference_steps": 30, "guidance_scale": 5}`), provenance.Parameters, provenance.Full, "",
		},
		"WebUI":               {commented(infotext), provenance.Parameters, provenance.Full, "Stable Diffusion WebUI"},
		"Midjourney":          {commented(job), provenance.Parameters, provenance.Full, "Midjourney"},
		"Civitai":             {mp4(sample.UserData(sample.Keys("prompt", `{"extraMetadata":{"prompt":"x","seed":1}}`))), provenance.Parameters, provenance.Full, "Civitai"},
		"a generator as tool": {encoded("Kling AI 2.1"), provenance.Tool, provenance.Full, "Kling AI"},
		"a generator as software": {
			mov(sample.Box("moov", sample.QuickTimeKeys("com.apple.quicktime.software", "google veo"))), provenance.Tool, provenance.Full, "Google Veo",
		},
		"a generator as writer": {clipFile{"webm", sample.WebM("Hailuo AI")}, provenance.Tool, provenance.Full, "Hailuo AI"},
		"a generator as TSSE":   {mp3(sample.ID3(3, 0, sample.ID3Frame(3, "TSSE", []byte("\x00Udio v1.5")))), provenance.Tool, provenance.Full, "Udio"},
		"a generator as ISFT":   {wav(info("ISFT", "ElevenLabs")), provenance.Tool, provenance.Full, "ElevenLabs"},
		"Google's credit":       {mp4(sample.UserData(sample.Keys("credit", "Made with Google AI"))), provenance.Credit, provenance.Full, "Google"},
		"Google's copyright":    {mp4(sample.UserData(sample.ItemList(sample.TextItem("cprt", "Edited with Google AI")))), provenance.Credit, provenance.Partly, "Google"},
		"Google's credit in ID3": {
			mp3(sample.ID3(4, 0, sample.ID3Frame(4, "TCOP", []byte("\x03Made with Google AI")))), provenance.Credit, provenance.Full, "Google",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.clip.read()
			want := engine.AI
			if tt.kind == provenance.Credit && tt.ai == provenance.Partly {
				want = engine.Uncertain
			}
			require.Equal(t, want, r.Verdict)
			require.Len(t, r.Statements, 1)
			require.Equal(t, tt.kind, r.Statements[0].Kind)
			require.Equal(t, tt.ai, r.Statements[0].AI)
			require.Equal(t, tt.issuer, r.Statements[0].Generator)
		})
	}
}

func TestGraphsOfClipsSayHowMuchWasMade(t *testing.T) {
	t.Parallel()
	sound := func(classes ...string) clipFile {
		return mp3(sample.ID3(4, 0, sample.ID3Text("prompt", nodes(classes...))))
	}
	tests := map[string]struct {
		clip clipFile
		want provenance.Extent
	}{
		"text to video":                {prompted("EmptyHunyuanLatentVideo", "KSampler", "SaveVideo"), provenance.Full},
		"image to video":               {prompted("LoadImage", "WanImageToVideo", "KSampler"), provenance.Full},
		"image and a voice to video":   {prompted("LoadImage", "LoadAudio", "KSampler"), provenance.Full},
		"video by a service":           {prompted("OpenAIVideoSora2", "SaveVideo"), provenance.Full},
		"image by a service":           {prompted("GeminiImageNode", "SaveVideo"), provenance.Full},
		"video to video":               {prompted("VHS_LoadVideo", "VAEEncode", "KSampler", "VHS_VideoCombine"), provenance.Partly},
		"video as a guide":             {prompted("LoadVideo", "EmptyHunyuanLatentVideo", "SamplerCustom"), provenance.Full},
		"video scaled":                 {prompted("LoadVideo", "ImageScale", "SaveVideo"), provenance.No},
		"text to music":                {sound("EmptyAceStepLatentAudio", "KSampler", "SaveAudioMP3"), provenance.Full},
		"music to music":               {sound("LoadAudio", "VAEEncodeAudio", "KSampler"), provenance.Partly},
		"text to speech by a service":  {sound("ElevenLabsTextToSpeech", "SaveAudioMP3"), provenance.Full},
		"sound converted":              {sound("LoadAudio", "SaveAudioMP3"), provenance.No},
		"the run before the canvas":    {commented(`{"workflow": ` + comfyWorkflow + `, "prompt": ` + nodes("LoadVideo", "SaveVideo") + `}`), provenance.No},
		"the canvas when nothing else": {mp4(sample.UserData(sample.Keys("workflow", comfyWorkflow))), provenance.Full},
		"graphs as strings":            {commented(`{"prompt": "` + strings.ReplaceAll(nodes("KSampler", "SaveVideo"), `"`, `\"`) + `"}`), provenance.Full},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.clip.read()
			require.Len(t, r.Statements, 1)
			require.Equal(t, tt.want, r.Statements[0].AI)
			require.Equal(t, "ComfyUI", r.Statements[0].Generator)
			require.Equal(t, tt.want != provenance.No, r.Verdict == engine.AI)
		})
	}
}

// TestWordsInClipsAreNoStatements holds what a clip may carry without being called AI.
func TestWordsInClipsAreNoStatements(t *testing.T) {
	t.Parallel()
	const mention = "made with suno and Kling AI; prompt: a duck, Steps: 20, Seed: 4; trainedAlgorithmicMedia; Made with Google AI"
	key := func(pairs ...string) clipFile { return mp4(sample.UserData(sample.Keys(pairs...))) }
	tests := map[string]clipFile{
		"words everywhere":              key("comment", mention, "description", mention, "prompt", mention, "workflow", mention, "AIGC", mention, "encoder", mention, "credit", mention, "copyright", mention),
		"a record in another field":     key("title", infotext, "lyrics", vhs),
		"a graph in another field":      key("title", comfyPrompt),
		"the label in another field":    key("comment", aigc),
		"a label of an editor":          key("aigc_info", `{"aigc_label_type":0,"source_info":""}`),
		"Suno within a sentence":        commented("This was " + suno),
		"Suno without a time":           commented("made with suno; id=" + uuid),
		"another page of Suno's":        mp3(sample.ID3(4, 0, sample.ID3Frame(4, "WOAS", []byte("https://suno.com/blog/"+uuid)))),
		"a song's page in a comment":    commented("https://suno.com/song/" + uuid),
		"an encoder of a platform":      encoded("Google"),
		"an encoder":                    encoded("Lavf61.7.102"),
		"a tool that edits":             encoded("ElevenLabs Studio export of an interview"),
		"a generator as the artist":     mp3(sample.ID3(4, 0, sample.ID3Frame(4, "TPE1", []byte("\x03Suno")))),
		"settings without a prompt":     commented(`{"type": "WanGP v8.21"}`),
		"a prompt of another type":      commented(`{"type": "shell", "prompt": "$"}`),
		"one node":                      prompted("OpenAIVideoSora2"),
		"a binary value":                mp4(sample.UserData(sample.ItemList(sample.Box("\xA9cmt", sample.ItemData(13, []byte(vhs)))))),
		"another private frame":         mp3(sample.ID3(4, 0, sample.ID3Frame(4, "PRIV", []byte("other\x00"+sample.XMP(`photoshop:Credit="Made with Google AI"`, ""))))),
		"settings of a player":          mp3(sample.ID3(4, 0, sample.ID3Frame(4, "COMM", []byte("\x03engiTunNORM\x00"+vhs)))),
		"a compressed frame":            mp3(sample.ID3(4, 0, sample.Join([]byte("COMM"), sample.Synchsafe(len(vhs)+5), []byte{0, 0x08}, []byte("\x03eng\x00"+vhs)))),
		"a tag at the end":              {"mp3", sample.Join(sample.MP3(), sample.ID3(4, 0, sample.ID3Text("prompt", comfyPrompt)))},
		"a tag of another version":      mp3(sample.ID3(5, 0, sample.ID3Text("prompt", comfyPrompt))),
		"a list of another kind":        wav(sample.RIFFChunk("LIST", sample.Join([]byte("adtl"), sample.RIFFChunk("ICMT", []byte(vhs))))),
		"elements with a document type": wav(sample.RIFFChunk("iXML", []byte(`<!DOCTYPE x><BWFXML><NOTE>`+vhs+`</NOTE></BWFXML>`))),
		"a uuid of something else":      mp4(sample.UUIDBox("0123456789abcdef", []byte(sample.XMP(`photoshop:Credit="Made with Google AI"`, "")))),
		"metadata within the media":     mp4(sample.Box("mdat", sample.UserData(sample.Keys("prompt", comfyPrompt)))),
		"an image":                      {"png", textFile("prompt", comfyPrompt)},
		"nothing":                       {"mp4", nil},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.read()
			require.Equal(t, engine.None, r.Verdict, "%+v", r.Statements)
			require.Nil(t, r.Issuer)
			require.Empty(t, r.Statements)
			require.Nil(t, r.ContentCredentials)
		})
	}
}

func TestCamerasOfClipsAreShownAndDecideNothing(t *testing.T) {
	t.Parallel()
	phone := mov(sample.Box("moov", sample.QuickTimeKeys("com.apple.quicktime.make", "Apple", "com.apple.quicktime.model", "iPhone 15 Pro")))
	r := phone.read()
	require.Equal(t, engine.None, r.Verdict)
	require.Nil(t, r.Issuer)
	require.Equal(t, []provenance.Statement{{
		Kind: provenance.Camera, Where: "bmff:moov:meta:com.apple.quicktime.make", Generator: "Apple iPhone 15 Pro", AI: provenance.No,
		Value: "Apple iPhone 15 Pro",
	}}, r.Statements)

	android := mp4(sample.UserData(sample.Keys("com.android.manufacturer", "Google", "com.android.model", "Pixel 10")))
	require.Equal(t, "Google Pixel 10", android.read().Statements[0].Generator)
	require.Empty(t, mp4(sample.UserData(sample.Keys("com.android.model", "Pixel 10"))).read().Statements)
}
