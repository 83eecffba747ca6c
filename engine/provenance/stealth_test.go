package provenance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance"
)

func TestATextFromElsewhereIsARecordByItsStructure(t *testing.T) {
	t.Parallel()
	novel := `{"Software":"NovelAI","Source":"NovelAI Diffusion V4.5 4BDE2A90","Description":"a duck"}`
	for name, c := range map[string]struct {
		text, generator string
		ai              bool
	}{
		"WebUI":                 {infotext, "Stable Diffusion WebUI", true},
		"WebUI, spaced":         {"\n " + infotext + "\n", "Stable Diffusion WebUI", true},
		"ComfyUI":               {comfyPrompt, "ComfyUI", true},
		"NovelAI":               {novel, "NovelAI", true},
		"NovelAI's run":         {`{"Software":"NovelAI","Comment":"{\"steps\":28,\"seed\":2,\"sampler\":\"k_euler\"}"}`, "NovelAI", true},
		"NovelAI's run, nested": {`{"Software":"NovelAI","Comment":{"steps":28,"seed":2,"sampler":"k_euler"}}`, "NovelAI", true},
		"another tool's model":  {strings.Replace(novel, `"NovelAI"`, `"GIMP"`, 1), "", false},
		"NovelAI without a run": {`{"Software":"NovelAI"}`, "", false},
		"a graph that only saves": {
			`{"1":{"class_type":"LoadImage","inputs":{}},"2":{"class_type":"SaveImage","inputs":{}}}`, "ComfyUI", false,
		},
		"words":   {"made with Stable Diffusion", "", false},
		"nothing": {"", "", false},
	} {
		generator, ai := provenance.Record(c.text)
		require.Equal(t, c.ai, ai, name)
		require.Equal(t, c.generator, generator, name)
	}
}
