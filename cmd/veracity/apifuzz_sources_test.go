package main

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// fuzzSources are the files that requests send, and the addresses that they name.
type fuzzSources struct {
	// files are by their content type. Every clip lasts half a second.
	files map[string][][]byte
	// urls are addresses of files and of servers that do not behave, by kind; hostile those that nobody may reach.
	urls     map[string][]string
	hostile  []string
	callback string
}

func newFuzzSources(t *testing.T, callback string, inside *sync.Map) (fuzzSources, func(*Settings)) {
	t.Helper()
	half := clips.Spec{Format: probe.MP4, Width: 32, Height: 32, Frames: 15, Sound: clips.Tone}
	film, voice, photo := clips.Make(t, half), mediatest.WAV(0.5), mediatest.JPEG(t, 32, 24)
	f := fuzzSources{callback: callback, files: map[string][][]byte{
		"image": {labelledPNG(t), photo, mediatest.GIF(t, 8, 8), photo[:len(photo)/2], mediatest.GIF(t, 8, 8, mediatest.WithFrames(2)), mediatest.BMPFile(5001, 5000, 24, 0, nil, nil), []byte("no picture")},
		"video": {film, film, film[:len(film)/2], mediatest.MP4Head()},
		"audio": {voice, voice, voice[:60], []byte("RIFF")},
	}}
	wild := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside.Store(r.Host+r.URL.String(), true) }))
	t.Cleanup(wild.Close)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{
		"/image": file(photo), "/video": file(film), "/audio": file(voice), "/empty": file(nil), "/missing": http.NotFound,
		"/page": file([]byte("<html>no file</html>")), "/cut": cutShort, "/away": away(wild.URL), "/round": away("/round"),
		"/stall": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	})
	shared := []string{"/empty", "/missing", "/page", "/cut", "/away", "/round", "/stall", "/image", "/video", "/audio"}
	f.urls = map[string][]string{}
	for kind := range f.files {
		for _, path := range append([]string{"/" + kind, "/" + kind, "/" + kind, "/" + kind, "/" + kind, "/" + kind}, shared...) {
			f.urls[kind] = append(f.urls[kind], base+path)
		}
	}
	f.hostile = hostileURLs(wild.Listener.Addr().String())
	return f, func(s *Settings) {
		allow(s)
		s.Fetch.ConnectTimeout, s.Fetch.IdleTimeout = time.Second, 500*time.Millisecond
		// No name is looked up outside this machine.
		s.Fetch.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no name server")
		}}
	}
}

// hostileURLs lead to a server inside, or to nowhere.
func hostileURLs(inside string) []string {
	_, port, _ := net.SplitHostPort(inside)
	urls := []string{
		"", " ", "x", "//x", "http://", "http:///a", "https://u:p@example.com/", "ftp://example.com/a", "file:///etc/passwd", "gopher://127.0.0.1:" + port + "/_x",
		"javascript:alert(1)", "http://example.com:8080/", "http://[::1", "http://%zz/", "http://a b/", "http://exa\x00mple.com/", "http://veracity-test.invalid/",
		"http://" + strings.Repeat("a", 300) + ".example/", "http://example.com/" + strings.Repeat("a", 9000), "https://example.com:444/", "http://169.254.169.254/latest/meta-data/",
		"http://metadata.google.internal/", "HTTP://LOCALHOST/", "http://10.0.0.1/", "http://[fd00::1]/", "http://[fe80::1%25eth0]/", "http://0/", "http://0.0.0.0/",
	}
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "127.0.0.1.", "①②⑦.⓪.⓪.①"} {
		urls = append(urls, "http://"+host+":"+port+"/", "https://"+host+":"+port+"/", "http://"+host+"/")
	}
	return urls
}

func away(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// cutShort promises more than it sends.
func cutShort(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte("half"))
}

// known draws what a member of that name wants.
func (d *drawing) known(name string) (string, bool) {
	kind, way, _ := strings.Cut(name, "_")
	switch {
	case way == "url" && d.sources.urls[kind] != nil:
		return text(rapid.SampledFrom(d.sources.urls[kind]).Draw(d.rt, name)), true
	case way == "upload_id" && d.sources.files[kind] != nil:
		return text(d.uploadID(kind)), true
	case name == "image_base64":
		return text(d.base64()), true
	case name == "callback_url":
		return text(pick(d, name, d.sources.callback, d.sources.callback, d.hostileURL())), true
	case name == "seconds":
		return pick(d, name, "0.5", "1", "3", "180", "1e1"), true
	case name == "size":
		return pick(d, name, "1", "1e3", "26214400", "26214401", "1073741824", "1000.0"), true
	case name == "content_type":
		return text(pick(d, name, "image/png", "IMAGE/JPEG; q=1", "video/mp4", "audio/mpeg", "audio/x-wav", "text/html", "image/")), true
	case name == "method":
		return text(pick(d, name, "initialize", "ping", "tools/list", "tools/call", "notifications/initialized", "resources/list", "")), true
	case name == "params":
		return d.params(), true
	}
	return "", false
}

// params draws what a JSON-RPC request carries that calls a tool.
func (d *drawing) params() string {
	tool := pick(d, "tool", "check_media", "check_media", "optimize_media", "get_check", "get_optimization", "create_upload", "get_usage", "rm")
	called := map[string]string{"check_media": "/audit", "optimize_media": "/optimize", "create_upload": "/uploads"}[tool]
	arguments := pick(d, "arguments", "{}", object("id", d.jobID(), "wait_seconds", 1), d.hostileValue(), d.hostileBody())
	if called != "" && !d.oneIn(4, "other arguments") {
		arguments, _ = d.body(d.doc.Paths.Value(called).Post.RequestBody.Value)
	}
	meta := pick(d, "meta", "", "", `,"_meta":{"progressToken":1}`, `,"_meta":[]`)
	return pick(d, "params", "{}", `{"name":`+text(tool)+`,"arguments":`+arguments+meta+"}")
}

// base64 draws an image, whole or spoilt, in one of the spellings that are taken.
func (d *drawing) base64() string {
	data := append([]byte(nil), rapid.SampledFrom(d.sources.files["image"]).Draw(d.rt, "image")...)
	for range rapid.IntRange(0, 3).Draw(d.rt, "spoilt bytes") {
		if len(data) > 0 {
			data[rapid.IntRange(0, len(data)-1).Draw(d.rt, "at")] = rapid.Byte().Draw(d.rt, "byte")
		}
	}
	whole := base64.StdEncoding.EncodeToString(data)
	return pick(d, "spelling", whole, whole, "data:image/png;base64,"+whole, base64.RawURLEncoding.EncodeToString(data), whole+"*", whole[:len(whole)/2]+"=")
}

// uploadID draws a ticket of that kind: a new one with a file, one that was used, or another account's.
func (d *drawing) uploadID(kind string) string {
	if d.oneIn(3, "an upload of before") {
		return d.oldID()
	}
	contentType := map[string]string{"image": "image/png", "video": "video/mp4", "audio": "audio/wav"}[kind]
	data := rapid.SampledFrom(d.sources.files[kind]).Draw(d.rt, kind)
	owner := d.caller
	if !owner.serves || d.oneIn(4, "of another account") {
		owner = d.callers[0]
	}
	id, err := owner.put(d.rt.Context(), contentType, data)
	require.NoError(d.rt, err)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.uploads = append(d.uploads, fuzzUpload{owner, id})
	return id
}
