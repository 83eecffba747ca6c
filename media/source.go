package media

import (
	"encoding/base64"
	"io"
	"strings"

	"github.com/google/uuid"

	"veracity/engine"
	"veracity/platform/fault"
)

// Way is how a file is sent.
type Way string

// Ways to send a file.
const (
	ByURL    Way = "url"
	ByBase64 Way = "base64"
	ByUpload Way = "upload"
	// ByFile is a file that comes in the body of a form, whose length nobody says beforehand.
	ByFile Way = "file"
)

// Source names the one file of a check or an optimization. Make it with a constructor, which refuses what can be
// refused without fetching anything.
type Source struct {
	Media engine.Media
	Way   Way
	// Seconds is the promised length of a video or voice clip; 0 means that none was given.
	Seconds float64

	url    string
	data   []byte
	upload uuid.UUID
	file   io.Reader
	// arrived is what came of file, once it lies here whole.
	arrived *opened
}

// FromURL is a file at a public address; its syntax is checked when the act begins.
func FromURL(media engine.Media, url string) Source {
	return Source{Media: media, Way: ByURL, url: url}
}

// FromFile is a file that arrives as it is read, from a form. It may be used once, before its request has ended. An error
// of the reader's own ends the act and is returned as it is: whoever reads from a network bounds the time of it.
func FromFile(media engine.Media, file io.Reader) Source {
	return Source{Media: media, Way: ByFile, file: file}
}

// FromBase64 is an image sent in the request, as base64 (RFC 4648, either alphabet, padding optional) or as a data URL
// (RFC 2397). Refusals: invalid_image, image_too_large.
func FromBase64(text string) (Source, error) {
	if rest, ok := cutDataURL(text); ok {
		text = rest
	} else if strings.HasPrefix(text, "data:") {
		return Source{}, fault.New(fault.InvalidImage, "The data URL in image_base64 must be written data:<type>;base64,<data>.")
	}
	text = strings.TrimRight(text, "=")
	// Most bodies are plain, and a megabyte is not gone over rune by rune for nothing.
	if strings.ContainsAny(text, " \t\r\n=-_") {
		text = strings.Map(plainBase64, text)
	}
	if text == "" {
		return Source{}, fault.New(fault.InvalidImage, "image_base64 is empty: send the image's bytes as base64.")
	}
	if int64(base64.RawStdEncoding.DecodedLen(len(text))) > MaxBase64Bytes {
		return Source{}, fault.New(fault.ImageTooLarge, "An image sent as base64 may have up to %d bytes. Send it by image_url or image_upload_id.", MaxBase64Bytes)
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return Source{}, fault.Wrap(err, fault.InvalidImage, "image_base64 is not base64: send the image's bytes as base64 or as a data URL.")
	}
	return Source{Media: engine.Image, Way: ByBase64, data: data}, nil
}

// plainBase64 drops blanks and padding and turns the URL alphabet into the standard one.
func plainBase64(r rune) rune {
	switch r {
	case ' ', '\t', '\r', '\n', '=':
		return -1
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// cutDataURL gives the data behind `data:<type>;base64,`.
func cutDataURL(text string) (string, bool) {
	head, data, ok := strings.Cut(text, ",")
	if !ok || !strings.HasPrefix(head, "data:") || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return "", false
	}
	return data, true
}

// FromUpload is a file that was PUT to an upload ticket. An id that is not a UUID is invalid_image.
func FromUpload(media engine.Media, id string) (Source, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return Source{}, fault.New(fault.InvalidImage, "%s_upload_id must be the id that POST /uploads answered, a UUID.", media)
	}
	return Source{Media: media, Way: ByUpload, upload: parsed}, nil
}

// TooLong is the stable detail of video_too_long (API contract, "Stable detail shapes").
type TooLong struct {
	Seconds    float64 `json:"seconds"`
	MaxSeconds float64 `json:"max_seconds"`
}

// WithSeconds promises a length. Refusals: invalid_parameter when it is not above 0; video_too_long for a video or
// voice clip over the limit. An image has no length, so there it is only checked to be positive.
func (s Source) WithSeconds(seconds float64) (Source, error) {
	if !(seconds > 0) {
		return Source{}, fault.New(fault.InvalidParameter, "seconds must be a positive number: the length of the video or clip in seconds.")
	}
	if s.Media == engine.Image {
		return s, nil
	}
	if seconds > MaxSeconds {
		return Source{}, fault.New(fault.VideoTooLong, "A video or voice clip may last up to %d seconds.", MaxSeconds).
			WithDetail(TooLong{Seconds: seconds, MaxSeconds: MaxSeconds})
	}
	s.Seconds = seconds
	return s, nil
}
