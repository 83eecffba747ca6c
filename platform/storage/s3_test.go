package storage_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

// oddServer stands in for an S3 server in a state that a sound one cannot be brought into.
func oddServer(t *testing.T, answer http.HandlerFunc) storage.Config {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return oddConfig(server.URL)
}

func oddConfig(endpoint string) storage.Config {
	cfg := storage.DefaultConfig()
	cfg.URL = "s3://media?endpoint=" + url.QueryEscape(endpoint)
	cfg.AccessKey, cfg.SecretKey = "access", "secret"
	return cfg
}

func TestServerErrorsAreRetriedThenUnavailable(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				calls.Add(1)
				w.WriteHeader(status)
			}))
			err := store.Put(t.Context(), "k", io.MultiReader(strings.NewReader("body")), 4, pictureType)
			require.ErrorIs(t, err, storage.ErrUnavailable)
			require.EqualValues(t, 3, calls.Load())
		})
	}
}

func TestServerThatRecoversTakesThePut(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var stored atomic.Value
	store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		stored.Store(string(body))
	}))
	require.NoError(t, store.Put(t.Context(), "k", io.MultiReader(strings.NewReader("body")), 4, pictureType))
	require.Equal(t, "body", stored.Load())
}

func TestSilentServerIsUnavailableInTime(t *testing.T) {
	t.Parallel()
	var binding net.ListenConfig
	listener, err := binding.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	cfg := oddConfig("http://" + listener.Addr().String())
	cfg.CallTimeout = 200 * time.Millisecond
	cfg.StallTimeout = 200 * time.Millisecond
	store := storagetest.Open(t, cfg)
	begun := time.Now()
	requireUnavailable(t, store)
	require.Less(t, time.Since(begun), waitLimit)
}

func TestDownloadThatStallsIsUnavailable(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	cfg := oddServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "start")
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	t.Cleanup(func() { close(release) })
	cfg.StallTimeout = 200 * time.Millisecond
	store := storagetest.Open(t, cfg)
	body, _, err := store.Open(t.Context(), "k")
	require.NoError(t, err)
	got, err := io.ReadAll(body)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	require.Equal(t, "start", string(got))
	require.NoError(t, body.Close())
	require.NoError(t, body.Close(), "closing twice is allowed")
}

func TestDownloadThatBreaksOffIsUnavailable(t *testing.T) {
	t.Parallel()
	store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "start")
	}))
	body, _, err := store.Open(t.Context(), "k")
	require.NoError(t, err)
	_, err = io.ReadAll(body)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	require.NoError(t, body.Close())
}

func TestPartThatIsNotTheOneAskedForIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status       int
		contentRange string
	}{
		"the whole":        {http.StatusOK, ""},
		"no place":         {http.StatusPartialContent, ""},
		"another place":    {http.StatusPartialContent, "bytes 0-9/100"},
		"a longer part":    {http.StatusPartialContent, "bytes 10-29/100"},
		"a shorter part":   {http.StatusPartialContent, "bytes 10-14/100"},
		"of unknown whole": {http.StatusPartialContent, "bytes 10-19/*"},
		"nonsense":         {http.StatusPartialContent, "bytes 10-19/100, 30-39/100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "bytes=10-19" {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				if row.contentRange != "" {
					w.Header().Set("Content-Range", row.contentRange)
				}
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, "0123456789")
			}))
			_, err := store.OpenRange(t.Context(), "k", 10, 10)
			require.ErrorIs(t, err, storage.ErrUnavailable)
			require.ErrorContains(t, err, "bytes 10 to 19 were asked for")
		})
	}
}

func TestListReadsEveryPage(t *testing.T) {
	t.Parallel()
	const page = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>%t</IsTruncated>` +
		`<NextContinuationToken>%s</NextContinuationToken><Contents><Key>%s</Key>` +
		`<LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents></ListBucketResult>`
	store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("continuation-token") == "" {
			_, _ = fmt.Fprintf(w, page, true, "more", "first")
			return
		}
		_, _ = fmt.Fprintf(w, page, false, "", "second")
	}))
	require.Equal(t, []string{"first", "second"}, keysOf(t, store, "", time.Now().AddDate(1000, 0, 0)))
}

func TestFailedPartsAreGivenUp(t *testing.T) {
	t.Parallel()
	var aborted atomic.Bool
	store := storagetest.Open(t, oddServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, `<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>`)
		case r.Method == http.MethodDelete && r.URL.Query().Get("uploadId") == "u1":
			aborted.Store(true)
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	err := store.Put(t.Context(), "k", strings.NewReader(strings.Repeat("x", 9<<20)), 9<<20, pictureType)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	require.True(t, aborted.Load(), "the parts already sent are not left behind")
}

func TestBucketTakesItsTicketsItself(t *testing.T) {
	t.Parallel()
	_, ok := storage.Handler(storagetest.OpenS3(t))
	require.False(t, ok)
}

// noAWSSettings keeps the settings of the machine out of a test of the default chain.
func noAWSSettings(t *testing.T) map[string]string {
	t.Helper()
	nowhere := filepath.Join(t.TempDir(), "none")
	return map[string]string{
		"AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere, "AWS_PROFILE": "", "AWS_REGION": "",
		"AWS_DEFAULT_REGION": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
	}
}

func TestCredentialsMayComeFromTheDefaultChain(t *testing.T) {
	cfg := storagetest.S3(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for name, value := range noAWSSettings(t) {
		t.Setenv(name, value)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", cfg.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", cfg.SecretKey)
	cfg.AccessKey, cfg.SecretKey = "", ""
	store := storagetest.Open(t, cfg)
	put(t, store, "chain", []byte("x"))
	requireContent(t, store, "chain", []byte("x"))
}

func TestMissingCredentialsAreUnavailable(t *testing.T) {
	cfg := storagetest.S3(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for name, value := range noAWSSettings(t) {
		t.Setenv(name, value)
	}
	cfg.AccessKey, cfg.SecretKey = "", ""
	require.ErrorIs(t, storagetest.Open(t, cfg).Ready(t.Context()), storage.ErrUnavailable)
}

func TestBucketOnAWSNeedsARegion(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for name, value := range noAWSSettings(t) {
		t.Setenv(name, value)
	}
	cfg := storage.DefaultConfig()
	cfg.URL = "s3://media"
	cfg.AccessKey, cfg.SecretKey = "access", "secret"
	_, err := storage.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "names no region")
}
