package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

// ticket asks for an upload ticket.
func (c customer) ticket(contentType string, size int) map[string]any {
	c.t.Helper()
	return c.call(http.MethodPost, "/api/v1/uploads", object("size", size, "content_type", contentType)).ok()
}

// put sends a file to a ticket with exactly its headers.
func (c customer) put(ticket map[string]any, data []byte) int {
	c.t.Helper()
	var headers []string
	for name, value := range ticket["headers"].(map[string]any) {
		headers = append(headers, name, value.(string))
	}
	return c.send(ticket["method"].(string), ticket["upload_url"].(string), string(data), headers...).status
}

// upload puts a file into storage and gives its id.
func (c customer) upload(contentType string, data []byte) string {
	c.t.Helper()
	ticket := c.ticket(contentType, len(data))
	require.Equal(c.t, http.StatusOK, c.put(ticket, data))
	return ticket["id"].(string)
}

func TestTicketIsAsTheContractSays(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	got := c.ticket(" IMAGE/JPEG; charset=binary", 1234)
	require.NoError(t, uuid.Validate(got["id"].(string)))
	require.Equal(t, "PUT", got["method"])
	require.Equal(t, map[string]any{"Content-Type": "image/jpeg", "If-None-Match": "*"}, got["headers"])
	require.InDelta(t, 26214400, got["max_bytes"], 0)
	expires, err := time.Parse(time.RFC3339, got["expires_at"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(time.Hour), expires, time.Minute)
	require.Len(t, got, 6)
	c.spent(0)

	require.InDelta(t, 1<<30, c.ticket("video/mp4", 1<<30)["max_bytes"], 0)
	require.InDelta(t, 1<<30, c.ticket("audio/x-wav", 1<<30)["max_bytes"], 0)
}

func TestUploadIsReadOnce(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	id := c.upload("image/png", labelledPNG(t))
	require.Equal(t, "ai", c.audit(object("image_upload_id", id)).ok()["verdict"])
	c.audit(object("image_upload_id", id)).refused(http.StatusNotFound, "upload_not_found")
	c.spent(1)
}

func TestOfTwinsWithOneUploadOneIsAnswered(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	id := c.upload("image/png", labelledPNG(t))
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r := c.audit(object("image_upload_id", id))
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
		})
	}
	wg.Wait()
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusNotFound: 7}, statuses)
	c.spent(1)
}

func TestUnusableUploadsAreNotFound(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	png := labelledPNG(t)
	expired := c.upload("image/png", png)
	_, err := s.DB.Exec(t.Context(), `UPDATE upload SET expires_at = now() - interval '1 second' WHERE id = $1`, expired)
	require.NoError(t, err)
	for name, id := range map[string]string{
		"unknown":      uuid.NewString(),
		"never put":    c.ticket("image/png", len(png))["id"].(string),
		"expired":      expired,
		"someone's":    other.upload("image/png", png),
		"half of file": func() string { tk := c.ticket("image/png", len(png)); c.put(tk, png[:10]); return tk["id"].(string) }(),
	} {
		got := c.audit(object("image_upload_id", id)).refused(http.StatusNotFound, "upload_not_found")
		require.NotContains(t, got, "detail", name)
	}
	c.spent(0)
}

func TestRefusedCallsLeaveTheUploadUsable(t *testing.T) {
	t.Parallel()
	s := start(t)
	credits := int64(0)
	c := s.customer(account.Overrides{Credits: &credits})
	id := c.upload("image/png", labelledPNG(t))
	body := object("image_upload_id", id)

	s.send(http.MethodPost, "/api/v1/audit", body).refused(http.StatusUnauthorized, "invalid_key")
	c.audit(body).refused(http.StatusPaymentRequired, "quota_exceeded")
	require.NoError(t, s.Accounts.SetState(t.Context(), c.account, account.PaymentFailed))
	c.audit(body).refused(http.StatusPaymentRequired, "payment_failed")
	require.NoError(t, s.Accounts.SetState(t.Context(), c.account, account.Active))
	credits = 10
	c.may(account.Overrides{Credits: &credits})
	c.overRate()
	c.audit(body).refused(http.StatusTooManyRequests, "rate_limited")
	rpm := 6000
	c.may(account.Overrides{RPM: &rpm})

	require.Eventually(t, func() bool { return c.audit(body).status == http.StatusOK }, 5*time.Second, 20*time.Millisecond)
	c.spent(1)
}

func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for _, row := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":0,"content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":-3,"content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":1.5,"content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":"12","content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":1e999,"content_type":"image/png"}`, 400, "invalid_body"},
		{`{"size":12}`, 400, "invalid_body"},
		{`{"size":12,"content_type":""}`, 400, "invalid_body"},
		{`{"size":12,"content_type":7}`, 400, "invalid_body"},
		{`[]`, 400, "invalid_body"},
		{``, 400, "invalid_body"},
		{`{"size":12,"content_type":"image/png"} {}`, 400, "invalid_body"},
		{`{"size":12,"content_type":"application/pdf"}`, 415, "unsupported_media"},
		{`{"size":12,"content_type":"image/svg+xml"}`, 415, "unsupported_media"},
		{`{"size":12,"content_type":"image"}`, 415, "unsupported_media"},
		{`{"size":26214401,"content_type":"image/png"}`, 413, "image_too_large"},
		{`{"size":1073741825,"content_type":"video/mp4"}`, 413, "video_too_large"},
		{`{"size":1e30,"content_type":"video/webm"}`, 413, "video_too_large"},
		{`{"size":1073741825,"content_type":"audio/mpeg"}`, 413, "video_too_large"},
	} {
		c.call(http.MethodPost, "/api/v1/uploads", row.body).refused(row.status, row.code)
	}
}

func TestEverySupportedTypeGetsATicketInItsCanonicalForm(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	for _, listed := range []string{
		"image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic", "image/heif", "image/tiff", "image/bmp",
		"video/mp4", "video/quicktime", "video/webm",
		"audio/mpeg", "audio/mp3", "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/mp4", "audio/x-m4a", "audio/m4a",
	} {
		require.NotEmpty(t, c.ticket(listed, 1)["headers"].(map[string]any)["Content-Type"], listed)
	}
}

func TestStorageThatIsGoneIsSaidSo(t *testing.T) {
	t.Parallel()
	cfg := storagetest.S3(t)
	dead := cfg
	dead.URL = "s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1&path_style=true"
	s := start(t, func(s *Settings) {
		s.Storage.URL, s.Storage.AccessKey, s.Storage.SecretKey = dead.URL, dead.AccessKey, dead.SecretKey
	})
	c := s.customer(account.Overrides{})
	r := c.call(http.MethodPost, "/api/v1/uploads", object("size", 1, "content_type", "image/png"))
	r.refused(http.StatusServiceUnavailable, "uploads_unavailable")
	require.Empty(t, r.header.Get("Retry-After"), "the contract names none for this code")
	c.optimize(inBase64(photo(t))).refused(http.StatusServiceUnavailable, "uploads_unavailable")
	c.settled(0)
	require.Equal(t, http.StatusServiceUnavailable, s.send(http.MethodGet, "/readyz", "").status)
}

func TestUploadsWorkOnARealS3Server(t *testing.T) {
	t.Parallel()
	c := start(t, onS3(t)).customer(account.Overrides{})
	png := labelledPNG(t)
	ticket := c.ticket("image/png", len(png))
	require.Equal(t, http.StatusOK, c.put(ticket, png))
	require.Equal(t, http.StatusPreconditionFailed, c.put(ticket, png))
	require.Equal(t, "ai", c.audit(object("image_upload_id", ticket["id"])).ok()["verdict"])
	c.spent(1)
}

func TestSweepRemovesWhatNobodyCanAskFor(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	png := labelledPNG(t)
	usedTicket, open := c.ticket("image/png", len(png)), c.upload("image/png", png)
	used := usedTicket["id"].(string)
	require.Equal(t, http.StatusOK, c.put(usedTicket, png))
	c.audit(object("image_upload_id", used)).ok()
	// The sweep leaves young blobs alone; these are made old.
	require.NoError(t, s.Store.Put(t.Context(), "uploads/"+uuid.NewString(), bytes.NewReader(png), int64(len(png)), "image/png"))
	removed, err := s.Media.SweepUploads(t.Context())
	require.NoError(t, err)
	require.Zero(t, removed, "what may still be on its way stays")

	backdate(t, s)
	removed, err = s.Media.SweepUploads(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, removed, "the one without a row")
	require.Equal(t, http.StatusPreconditionFailed, c.put(usedTicket, png), "a used ticket takes no second PUT")

	_, err = s.DB.Exec(t.Context(), `UPDATE upload SET expires_at = now() - interval '1 hour' WHERE id = $1`, used)
	require.NoError(t, err)
	removed, err = s.Media.SweepUploads(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, removed, "the used one, once its ticket has run out")
	_, err = s.Store.Stat(t.Context(), "uploads/"+used)
	require.ErrorIs(t, err, storage.ErrNotFound)
	c.audit(object("image_upload_id", open)).ok()
}

// backdate makes every blob of the disk store an hour old.
func backdate(t *testing.T, s *service) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	root := strings.TrimPrefix(s.Settings.Storage.URL, "disk:")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}
