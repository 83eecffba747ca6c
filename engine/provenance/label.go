package provenance

import "encoding/json"

// Values of Label (GB 45438-2025, annex E c): the content is, may be, is suspected to be AI-generated or synthesised.
const (
	labelIs        = "1"
	labelPossible  = "2"
	labelSuspected = "3"
)

// label adds the implicit label that GB 45438-2025 annex E demands of AI-generated content in China: an object AIGC, or
// its members alone, with the label and who produced or spread the content. A label of another value is shown and
// states nothing.
func (f *finder) label(where, value string) {
	obj, ok := parseObject(value)
	if !ok {
		return
	}
	if inner, ok := obj.object("AIGC"); ok {
		obj = inner
	}
	if !obj.has("Label") || !obj.has("ContentProducer") && !obj.has("ProduceID") && !obj.has("ContentPropagator") {
		return
	}
	found := finding{generator: obj.str("ContentProducer", "ContentPropagator"), ai: No}
	switch obj.scalar("Label") {
	case labelIs:
		found.ai = Full
	case labelPossible, labelSuspected:
		found.ai = Possibly
	}
	f.add(Label, where, found, value)
}

// scalar is a member that is a string or a number, as text.
func (o object) scalar(key string) string {
	if s := o.str(key); s != "" {
		return s
	}
	var n json.Number
	if json.Unmarshal(o[key], &n) != nil {
		return ""
	}
	return n.String()
}
