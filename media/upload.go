package media

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/platform/storage"
)

// Ticket lets a client PUT one file to storage.
type Ticket struct {
	ID        uuid.UUID
	URL       string
	Method    string
	Headers   map[string]string
	MaxBytes  int64
	ExpiresAt time.Time
}

// CreateUpload issues a ticket for one file of exactly size bytes. Refusals: invalid_body (size below 1),
// unsupported_media, image_too_large, video_too_large, audio_too_large, uploads_unavailable.
func (s *Service) CreateUpload(ctx context.Context, c Caller, size int64, contentType string) (Ticket, error) {
	canonical, media, ok := probe.CanonicalType(contentType)
	if !ok {
		return Ticket{}, fault.New(fault.UnsupportedMedia, "Files of type %.100q are not supported. The docs list the image, video and audio types that are.", contentType)
	}
	if size < 1 {
		return Ticket{}, fault.New(fault.InvalidBody, "size must be the exact size of the file in bytes, a whole number above 0.")
	}
	if limit := maxBytes(media); size > limit {
		return Ticket{}, fault.New(uploadTooLarge(media), "%s may have up to %d bytes, and size is %d.", title(media), limit, size)
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return Ticket{}, fmt.Errorf("make upload id: %w", err)
	}
	expires := time.Now().Add(s.cfg.UploadTTL).UTC().Truncate(time.Second)
	signed, err := s.store.Ticket(ctx, storage.TicketRequest{Key: uploadKey(id), ContentType: canonical, Size: size, Expires: expires})
	if err != nil {
		return Ticket{}, storageFault(err)
	}
	_, err = s.db.Exec(ctx, `
		INSERT INTO upload (id, account_id, media, content_type, size, expires_at)
		VALUES (@id, @account, @media, @type, @size, @expires)`,
		pgx.NamedArgs{"id": id, "account": c.Account, "media": media, "type": canonical, "size": size, "expires": expires})
	if err != nil {
		return Ticket{}, fmt.Errorf("save upload: %w", err)
	}
	return Ticket{
		ID: id, URL: signed.URL, Method: signed.Method, Headers: signed.Headers,
		MaxBytes: maxBytes(media), ExpiresAt: expires,
	}, nil
}

// uploadTooLarge is the code of an oversized ticket. The contract lists image_too_large and video_too_large for it, and
// audio_too_large for URLs alone, so a voice clip shares the video's.
func uploadTooLarge(m engine.Media) fault.Code {
	if m == engine.Image {
		return fault.ImageTooLarge
	}
	return fault.VideoTooLarge
}

func title(m engine.Media) string {
	switch m {
	case engine.Video:
		return "A video"
	case engine.Audio:
		return "A voice clip"
	case engine.Image:
	}
	return "An image"
}

func uploadKey(id uuid.UUID) string { return uploadPrefix + id.String() }

const uploadPrefix = "uploads/"

func uploadNotFound() error {
	return fault.New(fault.UploadNotFound, "Nothing usable lies under this upload id: it was not PUT, was used before, or has expired. Ask for a new ticket.")
}

// findUpload looks whether the account has a usable ticket and gives the size that it promises, in bytes.
func (s *Service) findUpload(ctx context.Context, c Caller, id uuid.UUID) (int64, error) {
	var size int64
	err := s.db.QueryRow(ctx, `
		SELECT size FROM upload WHERE id = @id AND account_id = @account AND state = 'issued' AND expires_at > now()`,
		pgx.NamedArgs{"id": id, "account": c.Account}).Scan(&size)
	if isNoRows(err) {
		return 0, uploadNotFound()
	}
	if err != nil {
		return 0, fmt.Errorf("find upload: %w", err)
	}
	return size, nil
}

// useUpload uses a ticket up. Of several calls at once one succeeds.
func useUpload(ctx context.Context, db postgres.DB, c Caller, id uuid.UUID) error {
	tag, err := db.Exec(ctx, `
		UPDATE upload SET state = 'used', ended_at = now()
		WHERE id = @id AND account_id = @account AND state = 'issued' AND expires_at > now()`,
		pgx.NamedArgs{"id": id, "account": c.Account})
	if err != nil {
		return fmt.Errorf("use upload: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return uploadNotFound()
	}
	return nil
}
