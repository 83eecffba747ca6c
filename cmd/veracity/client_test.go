package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/client"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/media"
	"veracity/views"
)

// hasty retries and reads at the pace of tests.
var (
	hasty  = client.WithRetry(client.Retry{First: 10 * time.Millisecond, Attempts: 8})
	nimble = client.WaitOptions{First: 50 * time.Millisecond, Longest: 200 * time.Millisecond}
)

// client is the public client with the customer's key, at the service itself or what stands before it.
func (c customer) client(base string, options ...client.Option) *client.Client {
	c.t.Helper()
	made, err := client.New(base, c.key, append([]client.Option{hasty}, options...)...)
	require.NoError(c.t, err)
	return made
}

func inMemory(t *testing.T, name string, data []byte) client.Source {
	t.Helper()
	f, err := client.NewFile(name, bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return client.FromFile(f)
}

// heavy is a labelled picture too large for base64.
func heavy(t *testing.T) []byte {
	t.Helper()
	return mediatest.PNG(t, 96, 64, mediatest.PNGChunk("prVt", make([]byte, client.MaxBase64)),
		mediatest.PNGText("parameters", "a lighthouse\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 96x64, Model: v1-5"))
}

func TestClientChecksImagesInEveryWay(t *testing.T) {
	t.Parallel()
	png := labelledPNG(t)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/a.png": file(png)})
	c := start(t, allow).customer(account.Overrides{})
	api := c.client(c.url)
	for name, src := range map[string]client.Source{
		"base64": inMemory(t, "a.png", png),
		"upload": inMemory(t, "a.png", heavy(t)),
		"url":    client.ImageURL(base + "/a.png"),
		"ticket": client.FromUpload(client.MediaImage, c.upload("image/png", png)),
	} {
		got, err := api.Check(t.Context(), src, nil)
		require.NoError(t, err, name)
		require.Equal(t, client.VerdictAI, got.Verdict, name)
		require.Equal(t, client.MediaImage, got.Media)
		require.Equal(t, client.ByProvenance, got.DecidedBy)
		require.Equal(t, 98, *got.Score)
		require.NotEmpty(t, *got.Lanes.Provenance.Issuer)
		require.Empty(t, got.Detail)
	}
	got, err := api.Check(t.Context(), inMemory(t, "a.png", png), &client.CheckOptions{Detail: true})
	require.NoError(t, err)
	require.Contains(t, string(got.Detail), `"engine"`)
	c.spent(5)
}

func TestClientChecksAVideoToTheEnd(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	var mu sync.Mutex
	var sent, total int64
	var statuses []client.Status
	got, err := c.client(c.url).Check(t.Context(), inMemory(t, "a.mp4", film(t, 6)), &client.CheckOptions{
		Seconds: 10,
		OnUpload: func(s, of int64) {
			mu.Lock()
			defer mu.Unlock()
			sent, total = s, of
		},
		Wait: client.WaitOptions{First: nimble.First, Longest: nimble.Longest, OnRead: func(s client.Status) {
			mu.Lock()
			defer mu.Unlock()
			statuses = append(statuses, s)
		}},
	})
	require.NoError(t, err)
	require.Equal(t, client.MediaVideo, got.Media)
	require.Len(t, got.Video.Readings, 8)
	require.InDelta(t, 6, got.Video.Seconds, 0.1)
	require.Equal(t, 180, got.Video.Frames)
	mu.Lock()
	defer mu.Unlock()
	require.Positive(t, total)
	require.Equal(t, total, sent)
	require.Equal(t, client.Succeeded, statuses[len(statuses)-1])
	c.settled(2)
}

func TestClientOptimizesToTheDownload(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	s := working(t, hooks.allow)
	c := s.customer(account.Overrides{})
	made, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "signs")
	require.NoError(t, err)
	api := customer{service: s, key: made.Key}.client(s.url)
	job, err := api.Optimize(t.Context(), inMemory(t, "a.jpg", photo(t)), &client.OptimizeOptions{CallbackURL: hooks.url, Wait: nimble})
	require.NoError(t, err)
	require.Equal(t, client.Succeeded, job.Status)
	require.NotNil(t, job.Score)
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), *job.ExpiresAt, time.Minute)

	path := filepath.Join(t.TempDir(), "out.png")
	n, err := api.DownloadFile(t.Context(), job, path, nil)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, data, int(n))
	require.Equal(t, probe.PNG, probe.Sniff(data))

	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, time.Minute, 20*time.Millisecond)
	call := hooks.calls()[0]
	event, err := client.VerifyWebhook(call.header, call.body, made.SigningSecret, time.Now())
	require.NoError(t, err)
	require.Equal(t, *job, event.Optimization)
	require.NotEmpty(t, event.ID)
	_, err = client.VerifyWebhook(call.header, append(call.body, ' '), made.SigningSecret, time.Now())
	require.ErrorIs(t, err, client.ErrWebhook)
	_, err = client.VerifyWebhook(call.header, call.body, made.SigningSecret, time.Now().Add(time.Hour))
	require.ErrorIs(t, err, client.ErrWebhook)

	took := make(chan string, 8)
	handler := client.Webhooks{Secrets: []string{made.SigningSecret}}.Handler(func(_ context.Context, e *client.Event) error {
		took <- e.Optimization.ID
		return nil
	})
	hooks.answers(func(w http.ResponseWriter, r *http.Request) {
		all := hooks.calls()
		r.Body = io.NopCloser(bytes.NewReader(all[len(all)-1].body))
		handler.ServeHTTP(w, r)
	})
	second, err := api.Optimize(t.Context(), inMemory(t, "a.jpg", photo(t)), &client.OptimizeOptions{CallbackURL: hooks.url, Wait: nimble})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		var state string
		err := s.DB.QueryRow(t.Context(), `SELECT state FROM delivery WHERE job_id = $1`, second.ID).Scan(&state)
		return err == nil && state == "delivered"
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, second.ID, <-took)
	require.Empty(t, took)
	c.settled(4)
}

func TestClientTellsRefusalsApart(t *testing.T) {
	t.Parallel()
	s := start(t)
	none := int64(0)
	poor, c := s.customer(account.Overrides{Credits: &none}), s.customer(account.Overrides{})
	ask := func(c customer, src client.Source, options *client.CheckOptions) *client.Error {
		_, err := c.client(s.url).Check(t.Context(), src, options)
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		require.NotEmpty(t, refused.RequestID)
		require.NotEmpty(t, refused.Message)
		require.NotContains(t, err.Error(), c.key)
		return refused
	}
	png := inMemory(t, "a.png", labelledPNG(t))
	e := ask(poor, png, nil)
	require.Equal(t, []any{402, client.CodeQuotaExceeded}, []any{e.Status, e.Code})
	quota, ok := e.Quota()
	require.True(t, ok)
	require.Equal(t, []int64{1, 0}, []int64{quota.Required, quota.Available})
	require.True(t, quota.ResetsAt.After(time.Now()))

	e = ask(c, inMemory(t, "a.bmp", mediatest.BMPFile(5001, 5000, 24, 0, nil, nil)), nil)
	pixels, ok := e.Pixels()
	require.True(t, ok, e)
	require.Equal(t, client.PixelsDetail{Width: 5001, Height: 5000, Limit: 25e6}, pixels)

	e = ask(c, client.VideoURL("https://example.com/a.mp4"), &client.CheckOptions{Seconds: 200})
	length, ok := e.Length()
	require.True(t, ok, e)
	require.Equal(t, client.LengthDetail{Seconds: 200, MaxSeconds: 180}, length)

	require.Equal(t, client.CodeInvalidKey, ask(customer{service: s, key: "svc_live_nobody"}, png, nil).Code)
	require.Equal(t, client.CodeInvalidURL, ask(c, client.ImageURL("ftp://example.com/a"), nil).Code)
	require.Equal(t, client.CodeUploadNotFound, ask(c, client.FromUpload(client.MediaImage, c.keyID.String()), nil).Code)
	require.Equal(t, client.CodeUnsupportedMedia, ask(c, inMemory(t, "a.png", []byte("no picture")), nil).Code)
	c.in(account.PaymentFailed)
	require.Equal(t, client.CodePaymentFailed, ask(c, png, nil).Code)
	_, err := poor.client(s.url).GetCheck(t.Context(), c.keyID.String(), nil)
	require.Equal(t, client.CodeNotFound, client.CodeOf(err))
	c.spent(0)
}

func TestClientKnowsWhatTheServiceKnows(t *testing.T) {
	t.Parallel()
	codes, err := os.ReadFile(filepath.Join("..", "..", "client", "codes.go"))
	require.NoError(t, err)
	for _, c := range append(views.CallErrors(), views.JobErrors()...) {
		if c.Code != "batch_unsupported" { // of MCP alone
			require.Contains(t, string(codes), `"`+c.Code+`"`)
		}
	}
	require.EqualValues(t, media.MaxBase64Bytes, client.MaxBase64)
	for _, ending := range strings.Fields("jpg jpeg png webp gif avif heic heif tif tiff bmp mp4 m4v mov webm mp3 wav m4a") {
		file, err := client.NewFile("a."+ending, strings.NewReader("?"), 1)
		require.NoError(t, err)
		_, kind, ok := probe.CanonicalType(file.ContentType)
		require.True(t, ok, ending)
		require.Equal(t, string(kind), string(file.Media))
		guessed, ok := media.Guess(nil, "", "a."+ending)
		require.True(t, ok)
		require.Equal(t, string(guessed), string(file.Media))
	}
}

func TestClientTellsWhyAJobFailed(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	_, err := c.client(c.url).Check(t.Context(), inMemory(t, "a.mp4", film(t, 3)), &client.CheckOptions{Seconds: 2, Wait: nimble})
	var failed *client.JobError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, client.CodeVideoTooLong, failed.Code)
	require.NotEmpty(t, failed.JobID)
	c.settled(0)
}
