package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// store is a service with its storage.
type store struct {
	*httptest.Server
	mu sync.Mutex
	// put and post answer what comes; nil takes it.
	put, post func(n int, w http.ResponseWriter, r *http.Request) bool
	files     [][]byte
	puts      []http.Header
	tickets   []string
	acts      []map[string]any
	keys      []string
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/uploads", s.ticket)
	mux.HandleFunc("PUT /file/{id}", s.take)
	mux.HandleFunc("POST /api/v1/audit", s.audit)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *store) ticket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked struct {
		ContentType string `json:"content_type"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	s.tickets = append(s.tickets, r.Header.Get("Idempotency-Key"))
	_ = json.NewEncoder(w).Encode(Upload{
		ID: strings.Repeat("a", len(s.tickets)), URL: s.URL + "/file/x?signature=hush", Method: http.MethodPut, MaxBytes: 1 << 30,
		Headers: map[string]string{"Content-Type": asked.ContentType, "If-None-Match": "*"},
	})
}

func (s *store) take(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := r.Header.Clone()
	h.Set("Length", r.Header.Get("Content-Length"))
	s.puts = append(s.puts, h)
	if s.put != nil && s.put(len(s.puts), w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		s.files = append(s.files, body)
	}
}

func (s *store) audit(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fields map[string]any
	_ = json.NewDecoder(r.Body).Decode(&fields)
	s.acts, s.keys = append(s.acts, fields), append(s.keys, r.Header.Get("Idempotency-Key"))
	if s.post != nil && s.post(len(s.acts), w, r) {
		return
	}
	_, _ = io.WriteString(w, checked)
}

// putsSoFar is how many uploads have begun; one that was broken off may still be on its way out of the handler.
func (s *store) putsSoFar() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.puts)
}

func (s *store) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	c, err := New(s.URL, testKey, append([]Option{WithRetry(Retry{First: time.Millisecond, Attempts: 4})}, options...)...)
	require.NoError(t, err)
	return c
}

// picture is a file of size bytes that begins as a JPEG.
func picture(t *testing.T, size int) *File {
	t.Helper()
	data := bytes.Repeat([]byte("x"), size)
	copy(data, "\xff\xd8\xff\xe0")
	f, err := NewFile("a.jpg", bytes.NewReader(data), int64(size))
	require.NoError(t, err)
	return f
}

// clip is a small file, which is uploaded all the same since it is no image.
func clip(t *testing.T) *File {
	t.Helper()
	data := "\x00\x00\x00\x18ftypisom" + strings.Repeat("x", 1000)
	f, err := NewFile("a.mp4", strings.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return f
}

func TestSmallImageGoesAlongAndLargerFilesAreUploaded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.client(t)
	small := picture(t, MaxBase64)
	_, err := c.Check(t.Context(), FromFile(small), nil)
	require.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(s.acts[0]["image_base64"].(string))
	require.NoError(t, err)
	require.Len(t, data, MaxBase64)
	require.Empty(t, s.tickets)

	var mu sync.Mutex
	var told []int64
	large := picture(t, MaxBase64+1)
	_, err = c.Check(t.Context(), FromFile(large), &CheckOptions{
		IdempotencyKey: "mine", OnUpload: func(sent, total int64) {
			mu.Lock()
			defer mu.Unlock()
			if total != large.Size {
				t.Errorf("the whole is %d", total)
			}
			told = append(told, sent)
		},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"image_upload_id": "a"}, s.acts[1])
	require.Equal(t, []string{"mine/upload-1"}, s.tickets)
	require.Equal(t, "mine", s.keys[1])
	require.Len(t, s.files[0], MaxBase64+1)
	mu.Lock()
	defer mu.Unlock()
	require.IsNonDecreasing(t, told)
	require.Equal(t, large.Size, told[len(told)-1])

	voice, err := NewFile("voice.mp4", strings.NewReader("\x00\x00\x00\x18ftypisomxxxxxx"), 18)
	require.NoError(t, err)
	require.Equal(t, MediaVideo, voice.Media)
	voice.Media, voice.ContentType = MediaAudio, "audio/mp4"
	_, err = c.Check(t.Context(), FromFile(voice), &CheckOptions{Seconds: 12.5})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"audio_upload_id": "aa", "seconds": 12.5}, s.acts[2])
}

func TestUploadHasTheTicketsHeadersAndNoKey(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	_, err := s.client(t).Check(t.Context(), FromFile(picture(t, MaxBase64+1)), nil)
	require.NoError(t, err)
	got := s.puts[0]
	require.Equal(t, "image/jpeg", got.Get("Content-Type"))
	require.Equal(t, "*", got.Get("If-None-Match"))
	require.Equal(t, "4194305", got.Get("Length"))
	for _, name := range []string{"X-Api-Key", "Authorization", "Idempotency-Key", "Expect"} {
		require.NotContains(t, got, name)
	}
}

func TestUploadsAreSentAgainWhereThatHelps(t *testing.T) {
	t.Parallel()
	says := func(status int, code string) func(int, http.ResponseWriter, *http.Request) bool {
		return func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n > 1 {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<?xml version=\"1.0\"?><Error><Code>"+code+"</Code><Message>No.</Message></Error>")
			return true
		}
	}
	drop := func(after int64) func(int, http.ResponseWriter, *http.Request) bool {
		return func(n int, _ http.ResponseWriter, r *http.Request) bool {
			if n > 1 {
				return false
			}
			_, _ = io.CopyN(io.Discard, r.Body, after)
			panic(http.ErrAbortHandler)
		}
	}
	for name, row := range map[string]struct {
		put   func(int, http.ResponseWriter, *http.Request) bool
		again bool
	}{
		"dropped at once":     {drop(0), true},
		"dropped in between":  {drop(1 << 20), true},
		"its answer was lost": {drop(1 << 30), true},
		"503 SlowDown":        {says(503, "SlowDown"), true},
		"500":                 {says(500, "InternalError"), true},
		"409 of a twin":       {says(409, "ConditionalRequestConflict"), true},
		"429":                 {says(429, ""), true},
		"too slow":            {says(400, "RequestTimeout"), true},
		"broken off":          {says(400, "IncompleteBody"), true},
		"wrong":               {says(400, "InvalidRequest"), false},
		"expired":             {says(403, "AccessDenied"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.put = row.put
			_, err := s.client(t).Check(t.Context(), FromFile(picture(t, 5<<20)), nil)
			if row.again {
				require.NoError(t, err)
				require.Equal(t, 2, s.putsSoFar())
				require.Len(t, s.files[0], 5<<20, "whole, from the beginning")
				require.Len(t, s.tickets, 1)
				return
			}
			var refused *StorageError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, "No.", refused.Message)
			require.NotContains(t, err.Error(), "hush")
			require.Equal(t, 1, s.putsSoFar())
			require.Empty(t, s.acts)
		})
	}
}

func TestFileThatIsThereAlreadyCountsAsSent(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.put = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusPreconditionFailed)
		return true
	}
	_, err := s.client(t).Check(t.Context(), FromFile(clip(t)), nil)
	require.NoError(t, err)
	require.Len(t, s.puts, 1)
}

func TestAddressOfAnUploadStaysOutOfErrors(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.put = func(int, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
	_, err := s.client(t).Check(t.Context(), FromFile(clip(t)), nil)
	require.ErrorContains(t, err, "upload of a.mp4")
	require.NotContains(t, err.Error(), "hush")
}

func TestUsedUpUploadIsSentAnew(t *testing.T) {
	t.Parallel()
	for _, code := range []Code{CodeTrackingFailed, CodeEngineError, CodeInternalError, CodeUploadNotFound} {
		s := newStore(t)
		s.post = refusing(code, 1)
		_, err := s.client(t).Check(t.Context(), FromFile(clip(t)), &CheckOptions{IdempotencyKey: "k"})
		require.NoError(t, err, code)
		require.Equal(t, []string{"k/upload-1", "k/upload-2"}, s.tickets)
		require.Equal(t, []string{"k", "k"}, s.keys, "still one act")
		require.Equal(t, "aa", s.acts[1]["video_upload_id"])

		s = newStore(t)
		s.post = refusing(code, 100)
		_, err = s.client(t).Check(t.Context(), FromFile(clip(t)), nil)
		require.Equal(t, code, CodeOf(err))
		require.Len(t, s.acts, uploads)
	}
	s := newStore(t)
	s.post = refusing(CodeUploadNotFound, 1)
	_, err := s.client(t).Check(t.Context(), FromUpload(MediaImage, "ab"), nil)
	require.Equal(t, CodeUploadNotFound, CodeOf(err), "an upload of the caller's own cannot be made anew")
	require.Len(t, s.acts, 1)
}

// refusing refuses the first times acts.
func refusing(code Code, times int) func(int, http.ResponseWriter, *http.Request) bool {
	status := map[Code]int{
		CodeTrackingFailed: 503, CodeUploadNotFound: 404, CodeEngineError: 500, CodeInternalError: 500,
	}[code]
	return func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n > times {
			return false
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"code":"`+string(code)+`","message":"No."}`)
		return true
	}
}

func TestFileThatChangesEndsItsUpload(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	path := filepath.Join(t.TempDir(), "a.jpg")
	data := bytes.Repeat([]byte("\xff\xd8\xff\xe0"), 2<<20)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 5<<20))
	_, err = s.client(t).Check(t.Context(), FromFile(f), nil)
	require.ErrorAs(t, err, new(*FileError))
	require.ErrorContains(t, err, "read a.jpg: it has 5242880 bytes and had 8388608 before")
	require.LessOrEqual(t, s.putsSoFar(), 1)
	require.NoError(t, f.Close())
	_, err = s.client(t).Check(t.Context(), FromFile(f), nil)
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestFilesThatCannotBeSentAreRefusedHere(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.client(t)
	text, err := NewFile("a.txt", strings.NewReader("hello"), 5)
	require.NoError(t, err)
	_, err = c.Check(t.Context(), FromFile(text), nil)
	require.ErrorContains(t, err, "cannot tell what a.txt is")
	_, err = c.Check(t.Context(), Source{}, nil)
	require.ErrorContains(t, err, "the source is empty")
	_, err = NewFile("a.jpg", strings.NewReader(""), 0)
	require.ErrorContains(t, err, "a.jpg is empty")
	_, err = Open(filepath.Join(t.TempDir(), "missing.jpg"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.TempDir())
	require.ErrorContains(t, err, "is no regular file")
	err = c.SendUpload(t.Context(), &Upload{MaxBytes: 3}, text, nil)
	require.ErrorContains(t, err, "a.txt has 5 bytes, and the upload takes 3")
	require.Empty(t, s.tickets)
	require.Empty(t, s.acts)
}

func TestUploadInWhichNothingMovesIsBegunAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		s := answering(
			answers(200, `{"id":"ab","upload_url":"https://store.test/x","method":"PUT","headers":{},"max_bytes":99999999}`),
			stuck, answers(200, ""), answers(200, checked))
		begun := time.Now()
		_, err := through(t, s).Check(t.Context(), FromFile(picture(t, 5<<20)), nil)
		require.NoError(t, err)
		require.Len(t, s.got, 4)
		require.Less(t, time.Since(begun), stallTime+2*time.Second)
	})
}

func TestFilesAreGuessedByContentThenByName(t *testing.T) {
	t.Parallel()
	ftyp := func(brand string) string { return "\x00\x00\x00\x18ftyp" + brand + "\x00\x00\x00\x00" }
	for _, row := range []struct {
		head, name, want string
	}{
		{"\xff\xd8\xff\xe1", "a.png", "image/jpeg"},
		{"\x89PNG\r\n\x1a\n", "a", "image/png"},
		{"GIF89a", "a", "image/gif"},
		{"RIFF\x10\x00\x00\x00WEBPVP8 ", "a", "image/webp"},
		{"RIFF\x10\x00\x00\x00WAVEfmt ", "a", "audio/wav"},
		{"RIFF\x10\x00\x00\x00AVI LIST", "a", ""},
		{"II*\x00", "a", "image/tiff"},
		{"MM\x00*", "a", "image/tiff"},
		{"BM\x00\x00", "a", "image/bmp"},
		{ftyp("avif"), "a", "image/avif"},
		{ftyp("heic"), "a", "image/heic"},
		{ftyp("mif1"), "a", "image/heif"},
		{ftyp("isom"), "a", "video/mp4"},
		{ftyp("isom"), "a.m4a", "audio/mp4"},
		{ftyp("M4A "), "a", "audio/mp4"},
		{ftyp("qt  "), "a.mp4", "video/quicktime"},
		{"\x1a\x45\xdf\xa3", "a", "video/webm"},
		{"ID3\x04", "a", "audio/mpeg"},
		{"\xff\xfb\x90\x64", "a", "audio/mpeg"},
		{"\xff\xf1\x50\x80", "a", ""},
		{"moov of old", "a.MOV", "video/quicktime"},
		{"what", "a.jpeg", "image/jpeg"},
		{"what", "a.txt", ""},
		{"", "a", ""},
	} {
		got, media := guess([]byte(row.head), row.name)
		require.Equal(t, row.want, got, "%q %s", row.head, row.name)
		kind, _, _ := strings.Cut(row.want, "/")
		require.Equal(t, Media(kind), media)
	}
	media, ok := MediaOfName("/a/b/film.WebM")
	require.True(t, ok)
	require.Equal(t, MediaVideo, media)
	_, ok = MediaOfName("/a/b")
	require.False(t, ok)
}

func TestReaderThatFailsIsTheCallersError(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	broken := errors.New("bad sector")
	f := &File{Name: "a.jpg", Media: MediaImage, ContentType: "image/jpeg", Size: 5 << 20, content: failingAt{broken}}
	_, err := s.client(t).Check(t.Context(), FromFile(f), nil)
	require.ErrorIs(t, err, broken)
	require.LessOrEqual(t, s.putsSoFar(), 1)
}

type failingAt struct{ err error }

func (f failingAt) ReadAt([]byte, int64) (int, error) { return 0, f.err }
