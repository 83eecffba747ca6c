package media

import (
	"context"
	"fmt"
	"io"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/platform/safefetch"
	"veracity/quota"
)

// inflow is a file on its way here.
type inflow struct {
	io.ReadCloser
	// size is the length that the sender declared, at most 0 where he declared none.
	size int64
}

// stream begins to take in a file that is sent while it is read: by the server of a URL within total, or by a form.
func (s *Service) stream(ctx context.Context, src Source, total time.Duration) (inflow, error) {
	switch src.Way {
	case ByURL:
		resp, err := s.fetch.Get(ctx, src.url, safefetch.Limits{MaxBytes: maxBytes(src.Media), Total: total})
		if err != nil {
			return inflow{}, fetchFault(err, src.Media)
		}
		return inflow{ReadCloser: resp.Body, size: resp.Size}, nil
	case ByFile:
		return inflow{ReadCloser: io.NopCloser(&formFile{src.file, src.Media, maxBytes(src.Media)})}, nil
	case ByBase64, ByUpload:
	}
	return inflow{}, fmt.Errorf("take in source: a file sent by %q does not arrive as a stream", src.Way)
}

// formFile is a form's file up to its largest size. Past it every read is refused.
type formFile struct {
	io.Reader
	media engine.Media
	left  int64
}

func (f *formFile) Read(p []byte) (int, error) {
	if f.left < 0 {
		return 0, f.tooLarge()
	}
	// One byte past the limit is asked for, since only its arrival tells a file of just that size from a larger one.
	if int64(len(p)) > f.left+1 {
		p = p[:f.left+1]
	}
	n, err := f.Reader.Read(p)
	if f.left -= int64(n); f.left < 0 {
		return n - 1, f.tooLarge()
	}
	return n, err
}

func (f *formFile) tooLarge() error {
	return fault.New(tooLargeCode(f.media), "%s may have up to %d bytes.", title(f.media), maxBytes(f.media))
}

// arrive brings a form's image here whole before any credits are held: a slow line may take longer over it than a hold
// lasts. What the hold would refuse is looked for first, so that nobody sends a file for nothing.
func (s *Service) arrive(ctx context.Context, c Caller, src Source, price int64) (Source, error) {
	if _, err := quota.Look(ctx, s.db, quota.Request{Account: c.Account, Amount: price}); err != nil {
		return src, err
	}
	file, err := s.openStream(ctx, c, src)
	if err != nil {
		return src, err
	}
	src.arrived = &file
	return src, nil
}
