package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"veracity/client"
	"veracity/media"
	"veracity/platform/fault"
)

// subject is one file that a remote command works on.
type subject struct {
	client.Source
	name string
	// size is that of a local file in bytes, 0 of any other.
	size  int64
	close func() error
}

func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// openSubject finds out what a path or an address stands for. Kind is what --media says, "" when it says nothing.
func openSubject(name string, kind client.Media) (subject, error) {
	if isAddress(name) {
		return addressed(name, kind)
	}
	local, err := openLocal(name)
	if err != nil {
		return subject{}, err
	}
	file, err := described(local, name, kind)
	if err != nil {
		return subject{}, errors.Join(err, local.Close())
	}
	return subject{Source: client.FromFile(file), name: name, size: local.size, close: local.Close}, nil
}

// described settles what a file is: what --media says, else what its content says. An MP4 may be a voice clip.
func described(local localFile, name string, kind client.Media) (*client.File, error) {
	if local.size == 0 {
		return nil, fault.New(fault.InvalidImage, "The file is empty.")
	}
	file, err := client.NewFile(name, local, local.size)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidImage, "The file cannot be read: %v.", err)
	}
	if kind == "" {
		kind = client.Media(local.media)
	}
	switch {
	case kind == "" || file.ContentType == "":
		return nil, fault.New(fault.UnsupportedMedia, "This is no image, video or voice clip that is read here.")
	case kind == client.MediaAudio && file.ContentType == "video/mp4":
		file.Media, file.ContentType = kind, "audio/mp4"
	case kind != file.Media:
		return nil, fault.New(fault.UnsupportedMedia, "--media says %s, and the file is %s.", kind, file.ContentType)
	}
	return file, nil
}

func addressed(name string, kind client.Media) (subject, error) {
	u, err := url.Parse(name)
	if err != nil {
		return subject{}, fault.New(fault.InvalidURL, "This is no address.")
	}
	if kind == "" {
		guessed, ok := client.MediaOfName(u.Path)
		if !ok {
			return subject{}, fault.New(fault.InvalidParameter, "The address does not say what it leads to: add --media image, video or audio.")
		}
		kind = guessed
	}
	return subject{Source: client.FromURL(kind, name), name: name, close: func() error { return nil }}, nil
}

// mediaFlag reads --media.
func mediaFlag(word string) (client.Media, error) {
	if word == "" {
		return "", nil
	}
	if _, ok := media.Kind(word); !ok {
		return "", usageError{fmt.Errorf("--media is %q: allowed are image, video and audio", word)}
	}
	return client.Media(word), nil
}

// reason is why something failed, as people and `--json` are told.
func (r *remote) reason(err error) fileError {
	var (
		refused *client.Error
		failed  *client.JobError
		storage *client.StorageError
		file    *client.FileError
		known   *fault.Fault
	)
	switch {
	case errors.As(err, &refused) && refused.Code == client.CodeInvalidKey:
		return fileError{Code: fault.InvalidKey, Message: "The service does not take the key in VERACITY_API_KEY or --api-key."}
	case errors.As(err, &refused) && refused.Code != "":
		told := fileError{Code: fault.Code(refused.Code), Message: refused.Message}
		if len(refused.Detail) > 0 {
			told.Detail = refused.Detail
		}
		return told
	case errors.As(err, &failed):
		return fileError{Code: fault.Code(failed.Code), Message: failed.Message}
	case errors.As(err, &file):
		return fileError{Code: fault.InvalidImage, Message: fmt.Sprintf("The file cannot be read: %v.", file.Err)}
	case errors.As(err, &storage):
		return fileError{Code: fault.UploadsUnavailable, Message: bare(err)}
	case errors.As(err, &known):
		return fileError{Code: known.Code, Message: known.Message, Detail: known.Detail}
	}
	return fileError{Code: unreachable, Message: r.noAnswer(err, refused)}
}

// noAnswer says of a service that cannot be reached, or answers as none does, where it was looked for.
func (r *remote) noAnswer(err error, answered *client.Error) string {
	const from = "The address comes from VERACITY_API_URL or --url."
	if answered != nil {
		return fmt.Sprintf("%s answered %d, and not as the service does: %s. %s", r.Remote.URL, answered.Status, answered.Message, from)
	}
	var dial *net.OpError
	if errors.As(err, &dial) {
		return fmt.Sprintf("Nothing answers at %s: %v. %s", r.Remote.URL, dial.Err, from)
	}
	return bare(err)
}

func bare(err error) string { return strings.TrimPrefix(err.Error(), "veracity: ") }

// unreachable is the code of a service that gives no answer, or none in its own shape.
const unreachable fault.Code = "service_unreachable"

// everyFile tells a failure that all files would meet.
func (r *remote) everyFile(err error) bool {
	switch r.reason(err).Code { //nolint:exhaustive // all other codes are about one file
	case fault.InvalidKey, fault.PlanRequired, fault.PaymentFailed, unreachable:
		return true
	}
	return false
}
