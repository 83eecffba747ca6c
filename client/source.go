package client

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
)

// Source is the one file of a check or an optimization. Make it with a function of this package.
type Source struct {
	media  Media
	url    string
	upload string
	file   *File
}

// ImageURL is an image at an address that anybody can fetch: http or https on its usual port.
func ImageURL(address string) Source { return FromURL(MediaImage, address) }

// VideoURL is a video at an address that anybody can fetch.
func VideoURL(address string) Source { return FromURL(MediaVideo, address) }

// AudioURL is a voice clip at an address that anybody can fetch.
func AudioURL(address string) Source { return FromURL(MediaAudio, address) }

// FromURL is a file of that kind at an address that anybody can fetch.
func FromURL(media Media, address string) Source { return Source{media: media, url: address} }

// FromUpload is a file that was sent to the ticket with that id. It can be used once.
func FromUpload(media Media, id string) Source { return Source{media: media, upload: id} }

// FromFile is a file of this machine. A small image goes along in the call, anything else is uploaded first.
func FromFile(file *File) Source { return Source{media: file.Media, file: file} }

// MaxBase64 is the largest image that goes along in a call, in bytes.
const MaxBase64 = 4 << 20

// errNoSource is a Source that none of the functions made.
var errNoSource = errors.New("veracity: the source is empty: make it with ImageURL, FromFile or a like function")

// sending is how a source travels.
type sending struct {
	// fields are those of the call's body that name the source.
	fields map[string]any
	// uploaded is set when they name an upload, again when the upload was made here and can be made anew.
	uploaded, again bool
	// fetched is set when the service has to fetch a video or voice clip within the call.
	fetched bool
}

// send brings a source to where a call can name it. Key names the act and round counts the uploads of one file for it.
func (c *Client) send(ctx context.Context, src Source, key string, round int, sent func(sent, total int64)) (sending, error) {
	switch {
	case src.url != "":
		return sending{fields: map[string]any{string(src.media) + "_url": src.url}, fetched: src.media != MediaImage}, nil
	case src.upload != "":
		return sending{fields: map[string]any{string(src.media) + "_upload_id": src.upload}, uploaded: true}, nil
	case src.file == nil:
		return sending{}, errNoSource
	}
	if err := src.file.check(); err != nil {
		return sending{}, err
	}
	if src.file.Media == MediaImage && src.file.Size <= MaxBase64 {
		return inBase64(src.file)
	}
	id, err := c.upload(ctx, src.file, fmt.Sprintf("%s/upload-%d", key, round), sent)
	if err != nil {
		return sending{}, err
	}
	return sending{fields: map[string]any{string(src.file.Media) + "_upload_id": id}, uploaded: true, again: true}, nil
}

func inBase64(file *File) (sending, error) {
	data := make([]byte, file.Size)
	if _, err := io.ReadFull(file.reader(), data); err != nil {
		return sending{}, &FileError{Name: file.Name, Err: err}
	}
	return sending{fields: map[string]any{"image_base64": base64.StdEncoding.EncodeToString(data)}}, nil
}
