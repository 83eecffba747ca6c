package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"veracity/engine"
	"veracity/media"
	"veracity/platform/fault"
)

// fields are the members of a JSON object body. A member that is null counts as absent.
type fields map[string]json.RawMessage

// readBody reads a body whole. Over [MaxBody] it is image_too_large.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		// net/http goes on reading to notice a caller who hangs up, and would take the deadline's end for that. After a
		// failed read the deadline stays, since net/http still drains the body before it answers.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // as in capBody
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, bodyTooLarge()
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidBody, "The request body could not be read to its end.")
	}
	return body, nil
}

func bodyTooLarge() error {
	return fault.New(fault.ImageTooLarge,
		"The request body is over %d bytes. Send a large image by image_url or image_upload_id.", MaxBody)
}

func parseFields(body []byte) (fields, error) {
	var f fields
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&f); err != nil {
		return nil, fault.Wrap(err, fault.InvalidBody, "The request body must be a JSON object.")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) || f == nil {
		return nil, fault.New(fault.InvalidBody, "The request body must be one JSON object and nothing else.")
	}
	for name, value := range f {
		if string(value) == "null" {
			delete(f, name)
		}
	}
	return f, nil
}

// text reads a member as a string; ok is false when it is of another type.
func (f fields) text(name string) (value string, ok bool) {
	raw := f[name]
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		// Megabytes of base64 have nothing to unescape.
		return string(raw[1 : len(raw)-1]), true
	}
	return value, json.Unmarshal(raw, &value) == nil
}

// The seven source fields of POST /audit and POST /optimize.
var sourceFields = []struct {
	name  string
	media engine.Media
	way   media.Way
}{
	{"image_url", engine.Image, media.ByURL},
	{"image_base64", engine.Image, media.ByBase64},
	{"image_upload_id", engine.Image, media.ByUpload},
	{"video_url", engine.Video, media.ByURL},
	{"video_upload_id", engine.Video, media.ByUpload},
	{"audio_url", engine.Audio, media.ByURL},
	{"audio_upload_id", engine.Audio, media.ByUpload},
}

// source reads the one source of a body and its seconds.
func (f fields) source() (media.Source, error) {
	var set []string
	var src media.Source
	var err error
	for _, field := range sourceFields {
		if _, ok := f[field.name]; !ok {
			continue
		}
		set = append(set, field.name)
		src, err = f.oneSource(field.name, field.media, field.way)
	}
	if len(set) != 1 {
		return media.Source{}, oneSourceOnly(set)
	}
	if err != nil {
		return media.Source{}, err
	}
	raw, ok := f["seconds"]
	if !ok {
		return src, nil
	}
	return src.WithSeconds(number(raw))
}

func (f fields) oneSource(name string, m engine.Media, way media.Way) (media.Source, error) {
	value, isText := f.text(name)
	switch way {
	case media.ByURL:
		if !isText {
			return media.Source{}, fault.New(fault.InvalidURL, "%s must be a string: a public http or https URL.", name)
		}
		return media.FromURL(m, value), nil
	case media.ByBase64:
		if !isText {
			return media.Source{}, fault.New(fault.InvalidImage, "%s must be a string: the image's bytes as base64 or a data URL.", name)
		}
		return media.FromBase64(value)
	case media.ByUpload, media.ByFile: // no field of a body is a file
	}
	return media.FromUpload(m, value)
}

func oneSourceOnly(set []string) error {
	names := make([]string, len(sourceFields))
	for i, field := range sourceFields {
		names[i] = field.name
	}
	if len(set) == 0 {
		return fault.New(fault.InvalidImage, "Send exactly one source: one of %s.", strings.Join(names, ", "))
	}
	return fault.New(fault.InvalidImage, "Send exactly one source; the body has %s.", strings.Join(set, " and "))
}

// number reads a JSON number, NaN for anything else.
func number(raw json.RawMessage) float64 {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return math.NaN()
	}
	return *n
}
