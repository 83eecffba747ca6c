package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// value draws JSON that a schema takes. name is that of the member that it is for.
func (d *drawing) value(name string, ref *openapi3.SchemaRef) string {
	s := ref.Value
	if known, ok := d.known(name); ok {
		return known
	}
	switch {
	case len(s.OneOf) > 0:
		return d.value(name, rapid.SampledFrom(s.OneOf).Draw(d.rt, "one of"))
	case s.Const != nil:
		return text(s.Const)
	case len(s.Enum) > 0:
		return text(rapid.SampledFrom(s.Enum).Draw(d.rt, name))
	case s.Type.Includes(openapi3.TypeObject):
		return join(d.members(s))
	case s.Type.Includes(openapi3.TypeArray):
		return "[" + d.value("", s.Items) + "]"
	case s.Type.Includes(openapi3.TypeInteger):
		return text(rapid.IntRange(1, 1000).Draw(d.rt, name))
	case s.Type.Includes(openapi3.TypeNumber):
		return text(rapid.Float64Range(0.1, 180).Draw(d.rt, name))
	case s.Type.Includes(openapi3.TypeString):
		return text(rapid.StringN(1, 20, 60).Draw(d.rt, name))
	}
	return pick(d, name, "null", "true", "{}")
}

// fuzzMember is a name and a value as they are written.
type fuzzMember struct{ name, value string }

// members draws the members of an object: those that it must have, or that a request of JSON-RPC has, and half of the
// others.
func (d *drawing) members(s *openapi3.Schema) (drawn []fuzzMember) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		needed := slices.Contains(s.Required, name) || slices.Contains([]string{"id", "method", "params"}, name)
		if needed || d.oneIn(2, "with "+name) {
			drawn = append(drawn, fuzzMember{name, d.value(name, s.Properties[name])})
		}
	}
	return drawn
}

func join(members []fuzzMember) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = text(m.name) + ":" + m.value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// nearly draws an object that a schema takes and spoils one part of it.
func (d *drawing) nearly(ref *openapi3.SchemaRef) string {
	s := ref.Value
	for len(s.OneOf) > 0 {
		s = rapid.SampledFrom(s.OneOf).Draw(d.rt, "one of").Value
	}
	members := d.members(s)
	at := 0
	if len(members) > 0 {
		at = rapid.IntRange(0, len(members)-1).Draw(d.rt, "which")
	}
	switch pick(d, "spoil", "value", "value", "value", "drop", "twice", "other", "name", "cut", "trail", "wrap", "bytes") {
	case "value":
		if len(members) > 0 {
			members[at].value = d.hostileValue()
		}
	case "drop":
		members = slices.Delete(members, at, min(at+1, len(members)))
	case "twice":
		if len(members) > 0 {
			members = append(members, fuzzMember{members[at].name, pick(d, "again", members[at].value, d.hostileValue())})
		}
	case "other":
		name := pick(d, "source", "image_url", "image_base64", "image_upload_id", "video_url", "video_upload_id", "audio_url", "audio_upload_id", "callback_url", "seconds", "size", "detail", "__proto__")
		members = append(members, fuzzMember{name, pick(d, "its value", "null", d.hostileValue())})
	case "name":
		if len(members) > 0 {
			members[at].name = pick(d, "its name", strings.ToUpper(members[at].name), members[at].name+"\x00", " "+members[at].name, "")
		}
	case "cut":
		whole := join(members)
		return whole[:rapid.IntRange(0, len(whole)).Draw(d.rt, "cut")]
	case "trail":
		return join(members) + pick(d, "behind", "{}", "x", "\x00", ",", " \n\t", "]", "//")
	case "wrap":
		return pick(d, "around", "[", `{"body":`) + join(members) + pick(d, "closed", "]", "}")
	case "bytes":
		return pick(d, "before", "\xef\xbb\xbf", "\xff\xfe", "\x00", "\u00a0") + join(members)
	}
	return join(members)
}

// hostileValue draws JSON, or nearly JSON, that is not what a member wants.
func (d *drawing) hostileValue() string {
	return pick(d, "hostile value",
		"null", "true", "0", "-1", "1e999", "-1e999", "1e-999", "9007199254740993", "NaN", "Infinity", "0x10", "01", "1.", strings.Repeat("9", 5000),
		"[]", "{}", `""`, `" "`, `"NaN"`, `"\u0000"`, `"\ud800"`, "\"\xff\xfe\"", `"\x"`, `"180"`, "180.0000001", "0.0000001", "181", `[[[[]]]]`,
		strings.Repeat("[", 20_000), text(strings.Repeat("a", 70_000)), text("../../../etc/passwd"), text("'; DROP TABLE job; --"), text("${jndi:ldap://x}"),
		text("data:image/png;base64,"), text("data:,x"), text("data:image/png;base64,%%%"), text("AAAA=AAAA"), text("A"), text("{{7*7}}"),
		text(d.hostileURL()), text(d.hostileURL()), text(d.oldID()), text(uuid.Nil.String()))
}

// hostileURL draws an address that no URL may lead to, or that is none.
func (d *drawing) hostileURL() string {
	return rapid.SampledFrom(d.sources.hostile).Draw(d.rt, "hostile URL")
}

// oldID draws an upload of anybody's, or a job where an upload belongs.
func (d *drawing) oldID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := []string{uuid.NewString()}
	for _, upload := range d.uploads[max(0, len(d.uploads)-20):] {
		ids = append(ids, upload.id)
	}
	for _, job := range d.jobs[max(0, len(d.jobs)-20):] {
		ids = append(ids, job.id)
	}
	return rapid.SampledFrom(ids).Draw(d.rt, "old id")
}

// hostileBody draws a body that is nothing that any call wants.
func (d *drawing) hostileBody() string {
	if d.oneIn(25, "huge") {
		return pick(d, "huge body", `{"image_base64":"`+strings.Repeat("A", 7<<20)+`"}`, strings.Repeat("[", 7<<20), strings.Repeat(" ", 6<<20+1))
	}
	return pick(d, "hostile body",
		"", "null", "[]", "0", `"x"`, "{", `{"`, "{}{}", `{"a":1,}`, "{'a':1}", "<xml/>", "image_url=x", "\x1f\x8b\x08\x00", "\xef\xbb\xbf{}", "{\"\xff\":1}",
		strings.Repeat(`{"a":`, 20_000), strings.Repeat("[", 100_000), `{"a":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+"}",
		`{"`+strings.Repeat("k", 100_000)+`":1}`, "{"+strings.Repeat(`"a":1,`, 20_000)+`"a":1}`, "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--",
		`{"__proto__":{"image_url":"x"}}`, `{"image_url":{"$ne":null}}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, strings.Repeat("\x00", 4096))
}

// takes says whether a body is JSON that the schema takes, told apart from what repeats a member.
func takes(schema *openapi3.SchemaRef, body string) bool {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return false
	}
	return schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()) == nil
}

// text is a value as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
