package storage_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

// diskFolder is a disk store, the folder it lies in, and the address of its uploads.
type diskFolder struct {
	storage.Store
	dir string
	url string
}

// openDisk is storagetest.OpenDisk for tests that look into the folder or change the settings.
func openDisk(t *testing.T, change func(*storage.Config)) diskFolder {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cfg := storagetest.Disk(t, server.URL)
	change(&cfg)
	store := storagetest.Open(t, cfg)
	uploads, ok := storage.Handler(store)
	require.True(t, ok)
	mux.Handle(storage.UploadPath, uploads)
	return diskFolder{Store: store, dir: strings.TrimPrefix(cfg.URL, "disk:"), url: server.URL}
}

func unchanged(*storage.Config) {}

// files are the files below a part of the folder, locks aside.
func (d diskFolder) files(t *testing.T, part string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(d.dir, part), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != "lock" {
			names = append(names, name)
		}
		return err
	})
	require.NoError(t, err)
	return names
}

func TestBrokenUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	ticket := newTicket(t, store, "uploads/broken", 1<<20)
	conn := rawUpload(t, ticket, 1<<20)
	_, err := conn.Write(make([]byte, 1<<19))
	require.NoError(t, err)
	require.NoError(t, conn.CloseWrite())
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusBadRequest, res.StatusCode)

	requireAbsent(t, store, "uploads/broken")
	require.Empty(t, store.files(t, "objects"))
	require.Empty(t, store.files(t, "staging"))
	require.Equal(t, http.StatusOK, upload(t, ticket, make([]byte, 1<<20)).status, "the ticket still works")
}

func TestStalledUploadEnds(t *testing.T) {
	t.Parallel()
	store := openDisk(t, func(c *storage.Config) { c.StallTimeout = 100 * time.Millisecond })
	conn := rawUpload(t, newTicket(t, store, "uploads/stalled", 1000), 1000)
	_, err := conn.Write(make([]byte, 500))
	require.NoError(t, err)
	requireTimeoutAnswer(t, conn)
	requireAbsent(t, store, "uploads/stalled")
	require.Empty(t, store.files(t, "staging"))
}

func TestUploadThatTricklesEnds(t *testing.T) {
	t.Parallel()
	store := openDisk(t, func(c *storage.Config) { c.UploadTimeout = 200 * time.Millisecond })
	conn := rawUpload(t, newTicket(t, store, "uploads/trickle", 1<<20), 1<<20)
	trickle := make(chan struct{})
	go func() {
		defer close(trickle)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := conn.Write([]byte{0}); err != nil {
				return
			}
		}
	}()
	requireTimeoutAnswer(t, conn)
	require.NoError(t, conn.Close())
	<-trickle
	requireAbsent(t, store, "uploads/trickle")
}

func requireTimeoutAnswer(t *testing.T, conn io.Reader) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	require.Contains(t, string(body), "RequestTimeout")
}

func TestTooLongUploadIsRefusedBeforeItsBody(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	conn := rawUpload(t, newTicket(t, store, "uploads/huge", 1000), 1<<30)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	requireAbsent(t, store, "uploads/huge")
}

func TestOnlyPutIsTaken(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	ticket := newTicket(t, store, "uploads/methods", 4)
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	} {
		req := uploadRequest(t, ticket, nil)
		req.Method = method
		req.Header.Set("Origin", "https://elsewhere.example")
		got := send(t, req)
		require.Equal(t, http.StatusMethodNotAllowed, got.status, method)
		require.Equal(t, http.MethodPut, got.header.Get("Allow"), method)
		for name := range got.header {
			require.NotContains(t, name, "Access-Control", method)
		}
	}
}

func TestUploadsCannotLeaveTheFolder(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	ticket := newTicket(t, store, "uploads/inside", 4)
	_, query, _ := strings.Cut(ticket.URL, "?")
	for _, path := range []string{
		"..%2foutside", "%2e%2e/outside", "uploads/..%2f..%2finside", "%2fetc%2fpasswd", "uploads/inside%00", "",
	} {
		changed := ticket
		changed.URL = store.url + storage.UploadPath + path + "?" + query
		require.GreaterOrEqual(t, upload(t, changed, []byte("evil")).status, http.StatusBadRequest, path)
	}
	require.Empty(t, store.files(t, ""))
}

func TestUnfinishedFilesOfTheDeadAreSweptAndThoseOfTheLivingAreNot(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	dead := filepath.Join(store.dir, "staging", "dead")
	require.NoError(t, os.Mkdir(dead, 0o700))
	for _, name := range []string{"lock", "unfinished"} {
		require.NoError(t, os.WriteFile(filepath.Join(dead, name), []byte("x"), 0o600))
	}

	started, goOn := make(chan struct{}), make(chan struct{})
	body := io.MultiReader(strings.NewReader("start"), readerFunc(func([]byte) (int, error) {
		close(started)
		<-goOn
		return 0, io.EOF
	}))
	put := make(chan error, 1)
	go func() { put <- store.Put(t.Context(), "living", body, 5, pictureType) }()
	<-started
	cfg := storagetest.Disk(t, "http://127.0.0.1")
	cfg.URL = "disk:" + store.dir
	storagetest.Open(t, cfg)
	require.NoDirExists(t, dead)
	require.Len(t, store.files(t, "staging"), 1)
	close(goOn)
	require.NoError(t, <-put)
	requireContent(t, store, "living", []byte("start"))
	require.Empty(t, store.files(t, "staging"))
}

func TestBlobsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	cfg := storagetest.Disk(t, "http://127.0.0.1")
	first := storagetest.Open(t, cfg)
	put(t, first, "kept/blob", []byte("kept"))
	second := storagetest.Open(t, cfg)
	requireContent(t, second, "kept/blob", []byte("kept"))
}

func TestKeyMayBeTheFolderOfAnother(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	put(t, store, "a/b", []byte("below"))
	put(t, store, "a", []byte("above"))
	requireContent(t, store, "a", []byte("above"))
	require.NoError(t, store.Delete(t.Context(), "a"))
	requireContent(t, store, "a/b", []byte("below"))
	require.NoError(t, store.Delete(t.Context(), "a/b"))
	require.NoDirExists(t, filepath.Join(store.dir, "objects", "a"), "empty folders go with their last blob")
}

func TestPutsSucceedWhileDeletesPruneTheirFolder(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	var both sync.WaitGroup
	for worker := range 4 {
		both.Go(func() {
			for range 50 {
				key := fmt.Sprintf("same/folder/%d", worker)
				if err := store.Put(t.Context(), key, strings.NewReader("x"), 1, pictureType); err != nil {
					t.Errorf("put %s: %v", key, err)
				}
				if err := store.Delete(t.Context(), key); err != nil {
					t.Errorf("delete %s: %v", key, err)
				}
			}
		})
	}
	both.Wait()
}

func TestFileOfAnotherMakeIsNotReadAsABlob(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	for name, content := range map[string][]byte{"short": []byte("x"), "long": bytes.Repeat([]byte("x"), 1000)} {
		require.NoError(t, os.WriteFile(filepath.Join(store.dir, "objects", name+".blob"), content, 0o600))
		_, _, err := store.Open(t.Context(), name)
		require.ErrorContains(t, err, "damaged")
	}
}

func TestFilesAreForTheServiceAlone(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	put(t, store, "folder/secret", []byte("x"))
	for name, mode := range map[string]fs.FileMode{"objects": 0o700, "objects/folder": 0o700, "objects/folder/secret.blob": 0o600} {
		info, err := os.Stat(filepath.Join(store.dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
}

func TestUploadIsRefusedWhenTheFolderIsGone(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	ticket := newTicket(t, store, "uploads/nowhere", 4)
	require.NoError(t, os.RemoveAll(filepath.Join(store.dir, "objects")))
	require.NoError(t, os.RemoveAll(filepath.Join(store.dir, "staging")))
	require.Equal(t, http.StatusServiceUnavailable, upload(t, ticket, []byte("data")).status)
}

func TestUploadNeedsAConnectionWithDeadlines(t *testing.T) {
	t.Parallel()
	store := openDisk(t, unchanged)
	ticket := newTicket(t, store, "uploads/hidden", 4)
	uploads, ok := storage.Handler(store.Store)
	require.True(t, ok)
	recorder := httptest.NewRecorder()
	uploads.ServeHTTP(recorder, uploadRequest(t, ticket, strings.NewReader("data")))
	require.Equal(t, http.StatusInternalServerError, recorder.Code)
	requireAbsent(t, store, "uploads/hidden")
}
