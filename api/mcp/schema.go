package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"veracity/media"
)

// schema is a part of a JSON Schema (2020-12), fields the members of an object.
type (
	schema map[string]any
	fields map[string]schema
)

// newTool completes a tool. Conditions on several arguments at once stand in the descriptions: assistants' own interfaces
// take no oneOf or anyOf at the top of what a tool takes.
func newTool(t sdk.Tool, required []string, takes fields, run func(context.Context, call) (result, error)) tool {
	t.InputSchema = object(takes, required...).closed()
	t.Annotations.Title = t.Title // where clients of MCP 2025-03-26 look for it
	return tool{Tool: t, takes: slices.Sorted(maps.Keys(takes)), run: run}
}

func object(members fields, required ...string) schema {
	s := schema{"type": "object", "properties": members}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func (s schema) set(name string, value any) schema {
	s = maps.Clone(s)
	s[name] = value
	return s
}

// closed takes no members but those that are named.
func (s schema) closed() schema                 { return s.set("additionalProperties", false) }
func (s schema) format(name string) schema      { return s.set("format", name) }
func (s schema) atLeast(n int) schema           { return s.set("minimum", n) }
func (s schema) between(least, most int) schema { return s.set("minimum", least).set("maximum", most) }

func text(description string) schema {
	return schema{"type": "string", "description": description}
}

func whole(description string) schema {
	return schema{"type": "integer", "description": description}
}

func number(description string) schema {
	return schema{"type": "number", "description": description}
}

func oneOf(description string, words ...string) schema {
	return text(description).set("enum", words)
}

func list(description string, of schema) schema {
	return schema{"type": "array", "description": description, "items": of}
}

// with adds members.
func (f fields) with(more fields) fields {
	maps.Copy(f, more)
	return f
}

const mib = 1 << 20

// sources are the source fields of the media named.
func sources(kinds ...string) fields {
	all := map[string]fields{
		"image": {
			"image_url": text(fmt.Sprintf("Public http or https address of an image, up to %d MB and 25 megapixels.", media.MaxImageBytes/mib)).format("uri"),
			"image_base64": text(fmt.Sprintf("The bytes of an image as base64 or as a data URL, up to %d MB. Prefer image_url or image_upload_id: base64 is slow to write.",
				media.MaxBase64Bytes/mib)),
			"image_upload_id": upload("image"),
		},
		"video": {
			"video_url":       text(fmt.Sprintf("Public http or https address of an MP4, MOV or WebM, up to %d GB and %d seconds.", media.MaxVideoBytes>>30, media.MaxSeconds)).format("uri"),
			"video_upload_id": upload("video"),
		},
		"audio": {
			"audio_url":       text(fmt.Sprintf("Public http or https address of an MP3, WAV or M4A of a voice, up to %d GB and %d seconds.", media.MaxAudioBytes>>30, media.MaxSeconds)).format("uri"),
			"audio_upload_id": upload("voice clip"),
		},
	}
	f := fields{}
	for _, kind := range kinds {
		f = f.with(all[kind])
	}
	return f
}

func upload(kind string) schema {
	return text("The id that create_upload answered, once the " + kind + " has been sent to its upload_url.").format("uuid")
}

func seconds() schema {
	return number(fmt.Sprintf("Length of the video or voice clip in seconds, up to %d, when it is known: only credits for that length are held. A clip that turns out longer fails.", media.MaxSeconds)).
		set("exclusiveMinimum", 0)
}

func detail() schema {
	return oneOf(`"full" adds the engine's raw report, which is long and whose shape may change.`, "full")
}

func idempotencyKey() schema {
	return text("A word of your own for this call, such as a new UUID. Repeat it only when you repeat this very call because its answer did not arrive: the call is then made and charged once, and you get the first answer.").
		set("maxLength", 255)
}

func waitSeconds() schema {
	return whole("How long to wait for the end of the job, in seconds; 0 answers at once.").between(0, maxWait).set("default", 0)
}

// credits is an amount in words.
func credits(n int64) string {
	if n == 1 {
		return "1 credit"
	}
	return fmt.Sprintf("%d credits", n)
}

// started is a price by length in words.
func started(n, unit int64) string {
	if unit == 1 {
		return credits(n) + " for each started second"
	}
	return fmt.Sprintf("%s for each started %d seconds", credits(n), unit)
}

// trait is what a tool does to the world, by which clients decide whether they ask the user first.
type trait int

const (
	// reads changes nothing.
	reads trait = iota
	// makes leaves something new behind that costs nothing; spends does at a price.
	makes
	spends
	// reachesOut goes to addresses that the caller names.
	reachesOut
)

// annotations are the hints of MCP. Nothing here destroys anything.
func annotations(traits ...trait) *sdk.ToolAnnotations {
	no, out := false, slices.Contains(traits, reachesOut)
	only := slices.Contains(traits, reads)
	return &sdk.ToolAnnotations{ReadOnlyHint: only, IdempotentHint: only, DestructiveHint: &no, OpenWorldHint: &out}
}
