package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/platform/fault"
	"veracity/platform/safefetch"
	"veracity/platform/storage"
)

// open gets an image's bytes ready to be read once.
func (s *Service) open(ctx context.Context, c Caller, src Source) (opened, error) {
	switch src.Way {
	case ByBase64:
		data := bytes.NewReader(src.data)
		return opened{ReadCloser: io.NopCloser(data), size: int64(len(src.data)), rewind: data}, nil
	case ByURL:
		return s.openStream(ctx, c, src)
	case ByFile:
		if src.arrived != nil {
			return *src.arrived, nil
		}
		return s.openStream(ctx, c, src)
	case ByUpload:
		return s.openUpload(ctx, c, src)
	}
	return opened{}, fmt.Errorf("open source: unknown way %q", src.Way)
}

// checkURL refuses what the text of a URL shows, before anything is held.
func (s *Service) checkURL(src Source) error {
	if _, err := s.fetch.CheckURL(src.url); err != nil {
		return fetchFault(err, src.Media)
	}
	return nil
}

// openStream takes an image from a URL or a form into a nameless file first, so that a slow sender holds up no core of
// the engine.
func (s *Service) openStream(ctx context.Context, c Caller, src Source) (opened, error) {
	leave, err := s.fetches.enter(ctx, c.Account)
	if err != nil {
		return opened{}, err
	}
	defer leave()

	from, err := s.stream(ctx, src, s.cfg.FetchTimeout)
	if err != nil {
		return opened{}, err
	}
	defer func() { _ = from.Close() }()

	file, err := s.spool()
	if err != nil {
		return opened{}, err
	}
	size, err := io.Copy(file, from)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return opened{}, fetchFault(err, src.Media)
	}
	return opened{ReadCloser: file, size: size, rewind: file}, nil
}

// spool makes a file that vanishes with its last descriptor, so that a killed process leaves nothing behind.
func (s *Service) spool() (*os.File, error) {
	file, err := os.CreateTemp(s.cfg.SpoolDir, "fetch-*")
	if err != nil {
		return nil, fmt.Errorf("make spool file: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("unlink spool file: %w", err)
	}
	return file, nil
}

// fetchFault is the contract's code for a fetch that went wrong, by the field that named the URL.
func fetchFault(err error, media engine.Media) error {
	var refused *safefetch.Error
	if !errors.As(err, &refused) {
		return err
	}
	field := string(media) + "_url"
	switch refused.Kind {
	case safefetch.InvalidURL, safefetch.Forbidden:
		return fault.Wrap(err, fault.InvalidURL, "%s is refused: %s", field, refused.Reason)
	case safefetch.TooLarge:
		return fault.Wrap(err, tooLargeCode(media), "The file at %s is too large: up to %d bytes are taken.", field, maxBytes(media))
	case safefetch.Unreachable:
		return fault.Wrap(err, unreachableCode(media), "The file at %s could not be fetched: %s", field, refused.Reason)
	}
	return err
}

func tooLargeCode(m engine.Media) fault.Code {
	switch m {
	case engine.Video:
		return fault.VideoTooLarge
	case engine.Audio:
		return fault.AudioTooLarge
	case engine.Image:
	}
	return fault.ImageTooLarge
}

func unreachableCode(m engine.Media) fault.Code {
	switch m {
	case engine.Video:
		return fault.VideoUnreachable
	case engine.Audio:
		return fault.AudioUnreachable
	case engine.Image:
	}
	return fault.ImageUnreachable
}

func maxBytes(m engine.Media) int64 {
	switch m {
	case engine.Video:
		return MaxVideoBytes
	case engine.Audio:
		return MaxAudioBytes
	case engine.Image:
	}
	return MaxImageBytes
}

// openUpload opens what was PUT to a ticket. The ticket is used up as the engine takes the file on, not before: a call
// that is refused earlier leaves it usable.
func (s *Service) openUpload(ctx context.Context, c Caller, src Source) (opened, error) {
	size, err := s.findUpload(ctx, c, src.upload)
	if err != nil {
		return opened{}, err
	}
	body, info, err := s.store.Open(ctx, uploadKey(src.upload))
	if err != nil {
		return opened{}, storageFault(err)
	}
	if info.Size != size {
		// Some S3 servers keep what arrived of a PUT that broke off.
		_ = body.Close()
		return opened{}, uploadNotFound()
	}
	if info.Size > MaxImageBytes {
		defer func() { _ = body.Close() }()
		return opened{}, oversized(body)
	}
	return opened{
		ReadCloser: body, size: info.Size,
		admitted: func(ctx context.Context) error { return useUpload(ctx, s.db, c, src.upload) },
	}, nil
}

// oversized tells a video in an image field from an image that is too large.
func oversized(body io.Reader) error {
	head := make([]byte, probe.HeadBytes)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read upload: %w", err)
	}
	if m := probe.Sniff(head[:n]).Media(); m != "" && m != engine.Image {
		return fault.New(fault.UnsupportedMedia, "The file in image_upload_id is no image: send it as %s_upload_id.", m)
	}
	return fault.New(fault.ImageTooLarge, "An image may have up to %d bytes.", MaxImageBytes)
}

// storageFault is the contract's code for a blob that cannot be had.
func storageFault(err error) error {
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return uploadNotFound()
	case errors.Is(err, storage.ErrUnavailable):
		return fault.Wrap(err, fault.UploadsUnavailable, "File storage does not answer. Try again shortly.")
	}
	return err
}

func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
