package main

import (
	"encoding/base64"
	"image"
	"image/color"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
)

func TestContractOptimizeRefusesBodiesAndSources(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	id := uuid.NewString()
	rows := map[string]refusal{
		"no body":             {``, 400, "invalid_body"},
		"an array":            {`[{"image_url":"https://example.com/a"}]`, 400, "invalid_body"},
		"a string":            {`"image_url"`, 400, "invalid_body"},
		"null":                {`null`, 400, "invalid_body"},
		"no source":           {`{"seconds":3}`, 400, "invalid_image"},
		"two sources":         {`{"image_base64":"AA==","video_url":"https://example.com/a"}`, 400, "invalid_image"},
		"all sources":         {object("image_url", "x", "image_base64", "x", "image_upload_id", id, "video_url", "x", "video_upload_id", id, "audio_url", "x", "audio_upload_id", id), 400, "invalid_image"},
		"an empty image":      {`{"image_base64":""}`, 400, "invalid_image"},
		"an empty data URL":   {`{"image_base64":"data:image/png;base64,"}`, 400, "invalid_image"},
		"a body that is huge": {`{"image_base64":"` + strings.Repeat("A", 7<<20) + `"}`, 413, "image_too_large"},
	}
	for _, field := range []string{"image_upload_id", "video_upload_id"} {
		rows[field+" is no UUID"] = refusal{object(field, "17"), 400, "invalid_image"}
		rows[field+" is a number"] = refusal{object(field, 17), 400, "invalid_image"}
		rows[field+" is empty"] = refusal{object(field, ""), 400, "invalid_image"}
		rows[field+" is nobody's"] = refusal{object(field, id), 404, "upload_not_found"}
	}
	for _, seconds := range []string{`0`, `-1`, `"12"`, `true`, `[]`, `{}`, `1e999`} {
		rows["seconds "+seconds] = refusal{`{"video_upload_id":"` + id + `","seconds":` + seconds + `}`, 400, "invalid_parameter"}
	}
	for _, field := range []string{"image_url", "video_url"} {
		for name, u := range badURLs {
			rows[field+" "+name] = refusal{object(field, u), 400, "invalid_url"}
		}
	}
	c.meet("/api/v1/optimize", rows)
	got := c.optimize(object("video_upload_id", id, "seconds", 180.5)).meets(refusal{"", 413, "video_too_long"})
	require.Equal(t, map[string]any{"seconds": 180.5, "max_seconds": 180.0}, got["detail"])
	c.settled(0)
}

// badURLs break the rules of every URL source.
var badURLs = map[string]string{
	"empty": "", "relative": "/a.png", "another scheme": "ftp://example.com/a", "a file": "file:///etc/passwd",
	"another port": "https://example.com:8443/a", "http on port 443": "http://example.com:443/a",
	"credentials": "https://u:p@example.com/a", "a user": "https://u@example.com/a",
	"loopback": "http://127.0.0.1/a", "loopback in decimal": "http://2130706433/a", "loopback v6": "http://[::1]/a",
	"mapped": "http://[::ffff:10.0.0.1]/a", "private": "https://192.168.0.1/a", "unique local": "http://[fc00::1]/a",
	"link-local": "http://169.254.169.254/", "loopback by name": "http://localhost/a",
}

func TestContractClipsByURLAreRefusedAsImagesAre(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	rows := map[string]refusal{}
	for _, field := range []string{"video_url", "audio_url"} {
		for name, u := range badURLs {
			rows[field+" "+name] = refusal{object(field, u), 400, "invalid_url"}
		}
		rows[field+" is a number"] = refusal{object(field, 5), 400, "invalid_url"}
	}
	for _, field := range []string{"video_upload_id", "audio_upload_id"} {
		for name, id := range map[string]any{"no UUID": "17", "braces": "{" + uuid.NewString() + "}", "a number": 17, "empty": ""} {
			rows[field+" "+name] = refusal{object(field, id), 400, "invalid_image"}
		}
	}
	c.meet("/api/v1/audit", rows)
	c.settled(0)
}

func TestContractURLsMustAnswerWith200(t *testing.T) {
	t.Parallel()
	clip, voice := film(t, 1), mediatest.WAV(1)
	handlers := map[string]http.HandlerFunc{
		"/private": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		},
		"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/movie", http.StatusFound) },
		"/movie": file(clip),
		"/empty": file(nil),
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(clip[:6000])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"/large": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(1<<30+1))
			_, _ = w.Write(clip)
		},
		"/pixels": file(mediatest.BMPFile(5001, 5000, 24, 0, nil, nil)),
	}
	statuses := []int{201, 204, 206, 304, 404, 500}
	for _, status := range statuses {
		handlers["/"+strconv.Itoa(status)] = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if status != http.StatusNoContent && status != http.StatusNotModified {
				_, _ = w.Write(slices.Concat(voice, clip))
			}
		}
	}
	base, allow := serveFiles(t, handlers)
	c := start(t, allow, func(s *Settings) {
		s.Media.ClipFetchTimeout, s.Media.FetchTimeout = time.Second, time.Second
	}).customer(account.Overrides{})
	audit := map[string]refusal{
		"a redirect to a private address": {object("audio_url", base+"/private"), 400, "invalid_url"},
		"a video that never ends":         {object("video_url", base+"/slow"), 400, "video_unreachable"},
	}
	optimize := map[string]refusal{
		"a redirect to a private address": {object("video_url", base+"/private"), 400, "invalid_url"},
		"an image's redirect to one":      {object("image_url", base+"/private"), 400, "invalid_url"},
		"a video that never ends":         {object("video_url", base+"/slow"), 400, "video_unreachable"},
		"an image that never ends":        {object("image_url", base+"/slow"), 400, "image_unreachable"},
		"a video too large":               {object("video_url", base+"/large"), 413, "video_too_large"},
		"an image too large":              {object("image_url", base+"/large"), 413, "image_too_large"},
		"an empty image":                  {object("image_url", base+"/empty"), 400, "invalid_image"},
		"a host that is nowhere":          {object("image_url", "https://veracity-test.invalid/a"), 400, "image_unreachable"},
		"too many pixels":                 {object("image_url", base+"/pixels"), 413, "too_many_pixels"},
	}
	for _, status := range statuses {
		link := base + "/" + strconv.Itoa(status)
		audit["video "+link] = refusal{object("video_url", link), 400, "video_unreachable"}
		audit["voice "+link] = refusal{object("audio_url", link), 400, "audio_unreachable"}
		optimize["video "+link] = refusal{object("video_url", link), 400, "video_unreachable"}
		optimize["image "+link] = refusal{object("image_url", link), 400, "image_unreachable"}
	}
	c.meet("/api/v1/audit", audit)
	c.meet("/api/v1/optimize", optimize)
	c.settled(0)
	require.Empty(t, c.blobs())
	c.optimize(object("video_url", base+"/moved")).accepted()
}

func TestContractCallbackURLs(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	c := start(t, hooks.allow).customer(account.Overrides{})
	upload := c.upload("image/jpeg", photo(t))
	rows := map[string]refusal{}
	with := func(callback any) string { return object("image_upload_id", upload, "callback_url", callback) }
	for name, u := range badURLs {
		if name != "loopback by name" {
			rows[name] = refusal{with(u), 400, "invalid_url"}
		}
	}
	rows["http"] = refusal{with("http://example.com/"), 400, "invalid_url"}
	rows["http where https is let through"] = refusal{with("http" + strings.TrimPrefix(hooks.url, "https")), 400, "invalid_url"}
	rows["https on port 80"] = refusal{with("https://example.com:80/"), 400, "invalid_url"}
	rows["a private address in https"] = refusal{with("https://10.0.0.1/"), 400, "invalid_url"}
	rows["a host that is nowhere"] = refusal{with("https://veracity-test.invalid/"), 400, "invalid_callback"}
	rows["a host that is private"] = refusal{with("https://localhost/"), 400, "invalid_callback"}
	for _, odd := range []any{5, true, []string{hooks.url}, map[string]string{"url": hooks.url}} {
		rows[object("not a string", odd)] = refusal{with(odd), 400, "invalid_callback"}
	}
	c.meet("/api/v1/optimize", rows)
	c.settled(0)
	require.Equal(t, "issued", c.uploadState(upload))
	c.optimize(with(hooks.url)).accepted()
	c.optimize(strings.TrimSuffix(inBase64(photo(t)), "}") + `,"callback_url":null}`).accepted()
}

// paddedPNG is a PNG of exactly that many bytes.
func paddedPNG(t *testing.T, size int) []byte {
	t.Helper()
	const head, most = 12, 1 << 20
	var chunks []mediatest.Option
	for left := size - len(mediatest.PNG(t, 8, 8)); left > 0; {
		n := min(left, most)
		if rest := left - n; rest > 0 && rest < head {
			n -= head
		}
		chunks = append(chunks, mediatest.PNGChunk("paDd", make([]byte, n-head)))
		left -= n
	}
	padded := mediatest.PNG(t, 8, 8, chunks...)
	require.Len(t, padded, size)
	return padded
}

// blankPNG is a PNG of one colour.
func blankPNG(t *testing.T, w, h int) []byte {
	t.Helper()
	return mediatest.PNG(t, w, h, mediatest.WithPicture(image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})))
}

func TestContractLimitsOfAnImageAreTheLastThatIsTaken(t *testing.T) {
	t.Parallel()
	const most, mostInBase64 = 26_214_400, 4 << 20
	base, allow := serveFiles(t, map[string]http.HandlerFunc{
		"/largest": file(paddedPNG(t, most)), "/larger": file(paddedPNG(t, most+1)), "/pixels": file(blankPNG(t, 5001, 5000)),
	})
	many := 20
	c := start(t, allow).customer(account.Overrides{Jobs: &many})
	larger := func() string { return c.upload("video/mp4", paddedPNG(t, most+1)) }
	tooMany := func() string { return c.upload("image/png", blankPNG(t, 5001, 5000)) }
	for _, path := range []string{"/api/v1/audit", "/api/v1/optimize"} {
		c.meet(path, map[string]refusal{
			"a byte over in base64":   {inBase64(paddedPNG(t, mostInBase64+1)), 413, "image_too_large"},
			"a byte over by URL":      {object("image_url", base+"/larger"), 413, "image_too_large"},
			"a byte over by upload":   {object("image_upload_id", larger()), 413, "image_too_large"},
			"too many pixels by URL":  {object("image_url", base+"/pixels"), 413, "too_many_pixels"},
			"too many pixels, upload": {object("image_upload_id", tooMany()), 413, "too_many_pixels"},
		})
		got := c.call(http.MethodPost, path, inBase64(blankPNG(t, 5000, 5001))).meets(refusal{"", 413, "too_many_pixels"})
		require.Equal(t, map[string]any{"width": 5000.0, "height": 5001.0, "limit": 25e6}, got["detail"])
	}
	c.settled(0)
	c.optimize(inBase64(paddedPNG(t, mostInBase64))).accepted()
	c.optimize(object("image_base64", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(blankPNG(t, 5000, 5000)))).accepted()
	c.optimize(object("image_url", base+"/largest")).accepted()
	c.optimize(object("image_upload_id", c.upload("image/png", paddedPNG(t, most)))).accepted()
}

func TestContractOptimizationsOfEveryVideoFormatHaveTheirFields(t *testing.T) {
	t.Parallel()
	s := working(t)
	c := s.customer(account.Overrides{})
	ids := map[string]string{
		"MOV":   c.optimize(object("video_upload_id", c.upload("video/quicktime", clips.Make(t, clipSpecs["video/quicktime"])), "seconds", 90)).accepted(),
		"WebM":  c.optimize(object("video_upload_id", c.upload("video/webm", clips.Make(t, clipSpecs["video/webm"])))).accepted(),
		"image": c.optimize(inBase64(photo(t))).accepted(),
	}
	for name, id := range ids {
		got := c.ended("/api/v1/optimize/"+id, "succeeded")
		want, contentType := []string{"expires_at", "file_url", "id", "media", "optimization_score", "status", "video"}, "video/mp4"
		if name == "image" {
			want, contentType = []string{"expires_at", "file_url", "id", "image_url", "media", "optimization_score", "status"}, "image/png"
		} else {
			require.Equal(t, []string{"bytes", "codec", "fps", "frames", "height", "seconds", "source_bytes", "width"}, members(got["video"]))
		}
		require.Equal(t, want, members(got), name)
		require.Equal(t, []string{"score", "zone"}, members(got["optimization_score"]))
		score := got["optimization_score"].(map[string]any)
		requireWhole(t, score["score"], 0, 100)
		require.Equal(t, string(engine.ZoneOf(int(score["score"].(float64)))), score["zone"], name)
		_, err := time.Parse(time.RFC3339, got["expires_at"].(string))
		require.NoError(t, err)
		downloaded := s.send(http.MethodGet, got["file_url"].(string), "")
		for _, link := range []string{"/file", "/image"} {
			r := s.send(http.MethodGet, "/api/v1/optimize/"+id+link, "")
			require.Equal(t, http.StatusOK, r.status)
			require.Equal(t, downloaded.body, r.body, name)
			require.Equal(t, contentType, r.header.Get("Content-Type"))
			require.Contains(t, r.header.Get("Content-Disposition"), "attachment")
		}
	}
	c.settled(1 + 1 + 2)
}
