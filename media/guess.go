package media

import (
	"path"
	"strings"

	"veracity/engine"
	"veracity/engine/probe"
)

// GuessBytes is how much of a file [Guess] looks at.
const GuessBytes = probe.HeadBytes

// Kind finds the medium that a word names: image, video or audio.
func Kind(word string) (engine.Media, bool) {
	switch m := engine.Media(word); m {
	case engine.Image, engine.Video, engine.Audio:
		return m, true
	}
	return "", false
}

// mediaOfName are the endings of file names that people use.
var mediaOfName = map[string]engine.Media{
	".jpg": engine.Image, ".jpeg": engine.Image, ".png": engine.Image, ".webp": engine.Image, ".gif": engine.Image,
	".avif": engine.Image, ".heic": engine.Image, ".heif": engine.Image, ".tif": engine.Image, ".tiff": engine.Image,
	".bmp": engine.Image,
	".mp4": engine.Video, ".m4v": engine.Video, ".mov": engine.Video, ".webm": engine.Video,
	".mp3": engine.Audio, ".wav": engine.Audio, ".m4a": engine.Audio,
}

// Guess says what a file most likely is: by its first bytes, where there are some, else by the content type that its
// sender claims, else by the ending of its name or of a URL's path. Whoever claims that an MP4 file is a voice clip is
// believed, since its first bytes do not tell. It guesses alone: the check finds out.
func Guess(head []byte, contentType, name string) (engine.Media, bool) {
	_, claimed, ok := probe.CanonicalType(contentType)
	if !ok {
		claimed, ok = mediaOfName[strings.ToLower(path.Ext(name))]
	}
	format := probe.Sniff(head)
	switch found := format.Media(); {
	case found == "", format == probe.MP4 && claimed == engine.Audio:
		return claimed, ok
	default:
		return found, true
	}
}
