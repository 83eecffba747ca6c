package api

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/google/uuid"

	"veracity/platform/fault"
)

// uploadTicket is the contract's "Upload ticket".
type uploadTicket struct {
	ID        uuid.UUID         `json:"id"`
	UploadURL string            `json:"upload_url"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	MaxBytes  int64             `json:"max_bytes"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// createUpload is POST /uploads.
func (a *API) createUpload(ctx context.Context, req request) (answer, error) {
	f, err := parseFields(req.body)
	if err != nil {
		return answer{}, err
	}
	size, ok := wholeNumber(f)
	if !ok {
		return answer{}, fault.New(fault.InvalidBody, "size must be the exact size of the file in bytes, a whole number above 0.")
	}
	contentType, ok := f.text("content_type")
	if !ok || contentType == "" {
		return answer{}, fault.New(fault.InvalidBody, "content_type must be the media type of the file, such as image/jpeg.")
	}
	t, err := a.media.CreateUpload(ctx, req.caller, size, contentType)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: encode(uploadTicket{
		ID: t.ID, UploadURL: t.URL, Method: t.Method, Headers: t.Headers, MaxBytes: t.MaxBytes, ExpiresAt: t.ExpiresAt,
	})}, nil
}

// wholeNumber reads size: JSON has one kind of number, so 1e3 and 1000.0 are whole too. A size beyond what an int64
// holds is as large as can be.
func wholeNumber(f fields) (int64, bool) {
	raw, ok := f["size"]
	if !ok {
		return 0, false
	}
	n := number(raw)
	if !(n >= 1) || n != math.Trunc(n) {
		return 0, false
	}
	return int64(min(n, 1<<62)), true
}
