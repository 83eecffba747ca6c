package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
)

// toolSchemas are the schemas of a listed tool.
type toolSchemas struct {
	Name, Title, Description string
	Input                    *jsonschema.Schema `json:"inputSchema"`
	Output                   *jsonschema.Schema `json:"outputSchema"`
	Annotations              map[string]any
}

func (c customer) listed() map[string]toolSchemas {
	c.t.Helper()
	r := c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	require.Equal(c.t, http.StatusOK, r.status)
	var answer struct {
		Result struct{ Tools []toolSchemas }
	}
	require.NoError(c.t, json.Unmarshal(r.body, &answer))
	tools := map[string]toolSchemas{}
	for _, tool := range answer.Result.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

func TestMCPToolsSayAllThatAnAssistantNeeds(t *testing.T) {
	t.Parallel()
	c := start(t, func(s *Settings) { s.Media.Prices.ImageCheck, s.Media.Prices.VideoOptimizeSeconds = 7, 3 }).customer(account.Overrides{})
	tools := c.listed()
	for name, row := range map[string]struct {
		takes    []string
		required []string
		// hints are readOnly, idempotent, openWorld.
		hints [3]bool
		says  []string
	}{
		"check_media": {
			[]string{"audio_upload_id", "audio_url", "detail", "idempotency_key", "image_base64", "image_upload_id", "image_url", "seconds", "video_upload_id", "video_url"},
			nil,
			[3]bool{false, false, true},
			[]string{"get_check", "7 credits for an image", "1 credit for each started 5 seconds of video"},
		},
		"get_check": {[]string{"detail", "id", "wait_seconds"}, []string{"id"}, [3]bool{true, true, false}, []string{"check_media", "up to 25"}},
		"optimize_media": {
			[]string{"callback_url", "idempotency_key", "image_base64", "image_upload_id", "image_url", "seconds", "video_upload_id", "video_url"},
			nil,
			[3]bool{false, false, true},
			[]string{"get_optimization", "2 credits for an image", "1 credit for each started 3 seconds of video"},
		},
		"get_optimization": {[]string{"id", "wait_seconds"}, []string{"id"}, [3]bool{true, true, false}, []string{"optimize_media", "file_url"}},
		"create_upload":    {[]string{"content_type", "idempotency_key", "size"}, []string{"size", "content_type"}, [3]bool{false, false, false}, []string{"upload_url", "image_upload_id"}},
		"get_usage":        {[]string{}, nil, [3]bool{true, true, false}, []string{"credits"}},
	} {
		tool := tools[name]
		require.NotEmpty(t, tool.Title, name)
		for _, words := range row.says {
			require.Contains(t, tool.Description, words, name)
		}
		require.Equal(t, map[string]any{
			"title": tool.Title, "readOnlyHint": row.hints[0], "idempotentHint": row.hints[1], "openWorldHint": row.hints[2], "destructiveHint": false,
		}, tool.Annotations, name)
		require.Equal(t, "object", tool.Input.Type)
		require.ElementsMatch(t, row.required, tool.Input.Required, name)
		takes := []string{}
		for argument, schema := range tool.Input.Properties {
			takes = append(takes, argument)
			require.NotEmpty(t, schema.Description, "%s of %s", argument, name)
			require.NotEmpty(t, schema.Type, "%s of %s", argument, name)
		}
		require.ElementsMatch(t, row.takes, takes, name)
		require.Empty(t, tool.Input.OneOf, "no assistant's interface takes it")
		require.Empty(t, tool.Input.AnyOf)
		resolved, err := tool.Input.Resolve(nil)
		require.NoError(t, err)
		require.Error(t, resolved.Validate(map[string]any{"unknown": 1}), name)
		require.Equal(t, "object", tool.Output.Type)
	}
	require.Len(t, tools, 6)
}

func TestMCPAnswersFitTheSchemasOfTheirTools(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	tools := c.listed()
	fits := func(tool string, arguments ...any) map[string]any {
		t.Helper()
		var given any
		require.NoError(t, json.Unmarshal([]byte(object(arguments...)), &given))
		input, err := tools[tool].Input.Resolve(nil)
		require.NoError(t, err)
		require.NoError(t, input.Validate(given))
		output, err := tools[tool].Output.Resolve(nil)
		require.NoError(t, err)
		got := c.use(tool, arguments...).ok()
		require.NoError(t, output.Validate(got), "%v", got)
		for member := range got {
			require.Contains(t, tools[tool].Output.Properties, member, "%s names all that it answers", tool)
		}
		return got
	}
	fits("get_usage")
	fits("create_upload", "size", 5, "content_type", "image/png")
	fits("check_media", "image_base64", base64.StdEncoding.EncodeToString(labelledPNG(t)), "detail", "full")
	fits("check_media", "image_base64", base64.StdEncoding.EncodeToString(mediatest.JPEG(t, 64, 48)))
	for reader, id := range map[string]any{
		"get_check":        fits("check_media", "video_upload_id", c.upload("video/mp4", film(t, 1)), "seconds", 1.5)["id"],
		"get_optimization": fits("optimize_media", "video_upload_id", c.upload("video/mp4", film(t, 1)))["id"],
	} {
		path := map[string]string{"get_check": "/api/v1/audit/", "get_optimization": "/api/v1/optimize/"}[reader]
		fits(reader, "id", id, "wait_seconds", 0)
		c.ended(path+id.(string), "succeeded")
		require.Contains(t, fits(reader, "id", id), "video")
	}
	voice := fits("check_media", "audio_upload_id", c.upload("audio/wav", mediatest.WAV(3)))["id"].(string)
	c.ended("/api/v1/audit/"+voice, "succeeded")
	require.Contains(t, fits("get_check", "id", voice, "detail", "full"), "audio")
	failed := fits("check_media", "video_upload_id", c.upload("video/mp4", film(t, 3)), "seconds", 1)["id"].(string)
	c.ended("/api/v1/audit/"+failed, "failed")
	require.Contains(t, fits("get_check", "id", failed), "error")
}
