package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/engine/mediatest"
	"veracity/platform/fault"
)

// refusal is one row of the contract's error tables and how a request meets it.
type refusal struct {
	body   string
	status int
	code   string
}

func TestBodiesAndSourcesAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	id := uuid.NewString()
	for name, row := range map[string]refusal{
		"no body":                 {``, 400, "invalid_body"},
		"no JSON":                 {`image_url=x`, 400, "invalid_body"},
		"an array":                {`[{"image_url":"https://example.com/a.jpg"}]`, 400, "invalid_body"},
		"a string":                {`"x"`, 400, "invalid_body"},
		"null":                    {`null`, 400, "invalid_body"},
		"two objects":             {`{}{}`, 400, "invalid_body"},
		"broken off":              {`{"image_url":"https://`, 400, "invalid_body"},
		"no source":               {`{}`, 400, "invalid_image"},
		"a null source":           {`{"image_url":null}`, 400, "invalid_image"},
		"two sources":             {`{"image_url":"https://example.com/a","image_base64":"AA=="}`, 400, "invalid_image"},
		"two kinds":               {`{"image_upload_id":"` + id + `","video_upload_id":"` + id + `"}`, 400, "invalid_image"},
		"an id that is no UUID":   {`{"image_upload_id":"17"}`, 400, "invalid_image"},
		"an id in braces":         {`{"image_upload_id":"{` + id + `}"}`, 400, "invalid_image"},
		"a number as id":          {`{"video_upload_id":17}`, 400, "invalid_image"},
		"no bytes":                {`{"image_base64":""}`, 400, "invalid_image"},
		"no bytes in a data URL":  {`{"image_base64":"data:image/png;base64,"}`, 400, "invalid_image"},
		"no base64":               {`{"image_base64":"*"}`, 400, "invalid_image"},
		"a data URL in plain":     {`{"image_base64":"data:image/svg+xml,<svg/>"}`, 400, "invalid_image"},
		"a number as base64":      {`{"image_base64":5}`, 400, "invalid_image"},
		"a number as URL":         {`{"image_url":5}`, 400, "invalid_url"},
		"an empty URL":            {`{"image_url":""}`, 400, "invalid_url"},
		"another scheme":          {`{"image_url":"ftp://example.com/a"}`, 400, "invalid_url"},
		"a file":                  {`{"image_url":"file:///etc/passwd"}`, 400, "invalid_url"},
		"another port":            {`{"image_url":"https://example.com:8443/a"}`, 400, "invalid_url"},
		"https on port 80":        {`{"image_url":"https://example.com:80/a"}`, 400, "invalid_url"},
		"credentials":             {`{"image_url":"https://u:p@example.com/a"}`, 400, "invalid_url"},
		"a user":                  {`{"image_url":"https://u@example.com/a"}`, 400, "invalid_url"},
		"loopback":                {`{"image_url":"http://127.0.0.1/a"}`, 400, "invalid_url"},
		"loopback, decimal":       {`{"image_url":"http://2130706433/a"}`, 400, "invalid_url"},
		"loopback, v6":            {`{"image_url":"http://[::1]/a"}`, 400, "invalid_url"},
		"loopback by name":        {`{"image_url":"http://localhost/a"}`, 400, "invalid_url"},
		"link-local":              {`{"image_url":"http://169.254.169.254/latest/meta-data/"}`, 400, "invalid_url"},
		"private":                 {`{"image_url":"http://10.1.2.3/a"}`, 400, "invalid_url"},
		"a video on loopback":     {`{"video_url":"http://127.0.0.1/a"}`, 400, "invalid_url"},
		"seconds 0":               {`{"image_url":"https://example.com/a","seconds":0}`, 400, "invalid_parameter"},
		"seconds below 0":         {`{"video_upload_id":"` + id + `","seconds":-1}`, 400, "invalid_parameter"},
		"seconds as text":         {`{"video_upload_id":"` + id + `","seconds":"12"}`, 400, "invalid_parameter"},
		"seconds beyond a number": {`{"audio_upload_id":"` + id + `","seconds":1e999}`, 400, "invalid_parameter"},
		"video too long":          {`{"video_upload_id":"` + id + `","seconds":180.5}`, 413, "video_too_long"},
		"clip too long":           {`{"audio_upload_id":"` + id + `","seconds":181}`, 413, "video_too_long"},
		"a video never uploaded":  {`{"video_upload_id":"` + id + `","seconds":180}`, 404, "upload_not_found"},
		"a clip never uploaded":   {`{"audio_upload_id":"` + id + `","seconds":0.1}`, 404, "upload_not_found"},
	} {
		r := c.audit(row.body)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		got := r.refused(row.status, row.code)
		if row.code == "video_too_long" {
			require.InDelta(t, 180, got["detail"].(map[string]any)["max_seconds"], 0)
			require.Greater(t, got["detail"].(map[string]any)["seconds"], 180.0)
		}
	}
	c.spent(0)
}

func TestURLSourcesAreRefused(t *testing.T) {
	t.Parallel()
	big := make([]byte, 26_214_401)
	copy(big, mediatest.JPEG(t, 8, 8))
	base, allow := serveFiles(t, map[string]http.HandlerFunc{
		"/missing": http.NotFound,
		"/empty":   file(nil),
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		},
		"/loop":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) },
		"/large": file(big),
		"/endless": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(big[:1<<20]); err != nil {
					return
				}
			}
		},
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"/short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		},
		"/page":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>no picture</html>") },
		"/video": file(mediatest.MP4Head()),
	})
	s := start(t, allow, func(s *Settings) {
		s.Fetch.IdleTimeout = 2 * time.Second
		s.Media.FetchTimeout = 15 * time.Second
	})
	c := s.customer(account.Overrides{})
	for path, row := range map[string]refusal{
		"/missing":  {"", 400, "image_unreachable"},
		"/slow":     {"", 400, "image_unreachable"},
		"/short":    {"", 400, "image_unreachable"},
		"/loop":     {"", 400, "image_unreachable"},
		"/redirect": {"", 400, "invalid_url"},
		"/empty":    {"", 400, "invalid_image"},
		"/large":    {"", 413, "image_too_large"},
		"/endless":  {"", 413, "image_too_large"},
		"/page":     {"", 415, "unsupported_media"},
		"/video":    {"", 415, "unsupported_media"},
	} {
		r := c.audit(object("image_url", base+path))
		require.Equal(t, row.status, r.status, "%s: %s", path, r.body)
		got := r.refused(row.status, row.code)
		require.NotContains(t, got["message"], "10.0.0.1", "what lies inside stays inside")
	}
	c.audit(object("image_url", "http://veracity-test.invalid/a.jpg")).refused(400, "image_unreachable")
	c.spent(0)
}

func TestSizesAndKindsAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	over := base64.StdEncoding.EncodeToString(make([]byte, 4<<20+1))
	c.audit(object("image_base64", over)).refused(413, "image_too_large")
	c.audit(`{"image_base64":"`+strings.Repeat("A", 7<<20)+`"}`).refused(413, "image_too_large")

	animated := mediatest.GIF(t, 8, 8, mediatest.WithFrames(3))
	whole := mediatest.JPEG(t, 64, 64)
	for name, data := range map[string][]byte{
		"animated":    animated,
		"cut off":     whole[:len(whole)/2],
		"two pages":   mediatest.TIFF(t, 8, 8, mediatest.WithPages(2)),
		"text":        []byte("no picture at all"),
		"a video":     mediatest.MP4Head(),
		"a WebM":      mediatest.WebMHead(),
		"a voice":     mediatest.WAV(0.1),
		"only a head": whole[:20],
	} {
		r := c.audit(inBase64(data))
		require.Equal(t, 415, r.status, "%s: %s", name, r.body)
		r.refused(415, "unsupported_media")
	}
	c.spent(0)
}

func TestTooManyPixelsSaysHowMany(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	got := c.audit(inBase64(mediatest.BMPFile(5001, 5000, 24, 0, nil, nil))).refused(413, "too_many_pixels")
	require.Equal(t, map[string]any{"width": 5001.0, "height": 5000.0, "limit": 25000000.0}, got["detail"])
	c.spent(0)
}

func TestLargeVideoInAnImageFieldIsToldApart(t *testing.T) {
	t.Parallel()
	c := start(t).customer(account.Overrides{})
	video := make([]byte, 26_214_401)
	copy(video, mediatest.MP4Head())
	c.audit(object("image_upload_id", c.upload("video/mp4", video))).refused(415, "unsupported_media")
	copy(video, mediatest.JPEG(t, 8, 8))
	c.audit(object("image_upload_id", c.upload("video/mp4", video))).refused(413, "image_too_large")
}

func TestKeysAreReadAsTheContractSays(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	body := inBase64(labelledPNG(t))
	for name, row := range map[string]struct {
		headers []string
		status  int
	}{
		"X-API-Key":                {[]string{"X-API-Key", c.key}, 200},
		"Bearer":                   {[]string{"Authorization", "Bearer " + c.key}, 200},
		"bearer in any case":       {[]string{"Authorization", "bEaReR " + c.key}, 200},
		"X-API-Key wins":           {[]string{"X-API-Key", c.key, "Authorization", "Bearer wrong"}, 200},
		"X-API-Key wins, bad":      {[]string{"X-API-Key", "wrong", "Authorization", "Bearer " + c.key}, 401},
		"X-API-Key wins, empty":    {[]string{"X-API-Key", "", "Authorization", "Bearer " + c.key}, 401},
		"none":                     {nil, 401},
		"Basic":                    {[]string{"Authorization", "Basic " + c.key}, 401},
		"no scheme":                {[]string{"Authorization", c.key}, 401},
		"malformed":                {[]string{"X-API-Key", c.key[:44]}, 401},
		"in other letters":         {[]string{"X-API-Key", strings.ToUpper(c.key)}, 401},
		"well-formed, but unknown": {[]string{"X-API-Key", foreignKey(t)}, 401},
	} {
		r := s.send(http.MethodPost, "/api/v1/audit", body, row.headers...)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		if row.status == 401 {
			r.refused(401, "invalid_key")
			require.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
			require.Empty(t, r.header.Get("RateLimit"))
		}
	}
	c.spent(4)
	require.NoError(t, s.Accounts.RevokeKey(t.Context(), access.CLI(c.account), c.keyID))
	c.audit(body).refused(401, "invalid_key")
}

// foreignKey is a key of another installation.
func foreignKey(t *testing.T) string {
	t.Helper()
	return start(t).customer(account.Overrides{}).key
}

func TestPlanAndPaymentAreAskedBeforeTheRate(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	for state, code := range map[account.State]string{
		account.PaymentFailed: "payment_failed", account.PlanRequired: "plan_required", account.Suspended: "plan_required",
	} {
		c.in(state)
		for _, path := range []string{"/api/v1/audit", "/api/v1/optimize", "/api/v1/uploads"} {
			r := c.call(http.MethodPost, path, `{}`)
			got := r.refused(402, code)
			require.Equal(t, `"minute";q=300;w=60`, r.header.Get("RateLimit-Policy"))
			require.Contains(t, r.header.Get("RateLimit"), "r=300", "a refused call is not counted")
			require.Contains(t, got["message"], "pro", "the message names the plan")
			require.NotContains(t, got, "detail")
		}
		c.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").refused(402, code)
		c.call(http.MethodGet, "/api/v1/optimize/"+uuid.NewString(), "").refused(402, code)
	}
}

func TestRateIsSharedByAllKeysAndSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	rpm := 3
	c := s.customer(account.Overrides{RPM: &rpm})
	second, err := s.Accounts.CreateKey(t.Context(), access.CLI(c.account), "second")
	require.NoError(t, err)
	path := "/api/v1/audit/" + uuid.NewString()
	for i, key := range []string{c.key, second.Key, c.key} {
		r := s.send(http.MethodGet, path, "", "X-API-Key", key)
		r.refused(404, "not_found")
		require.Contains(t, r.header.Get("RateLimit"), fmt.Sprintf(`r=%d;`, 2-i))
	}
	r := s.send(http.MethodGet, path, "", "X-API-Key", second.Key)
	r.refused(429, "rate_limited")
	require.Regexp(t, `^(19|20)$`, r.header.Get("Retry-After"))
	require.Contains(t, r.header.Get("RateLimit"), `"minute";r=0;`)
	require.Equal(t, `"minute";q=3;w=60`, r.header.Get("RateLimit-Policy"))
}

func TestExceededQuotaCostsNothingAndSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	s := start(t)
	credits := int64(1)
	c := s.customer(account.Overrides{Credits: &credits})
	c.audit(inBase64(labelledPNG(t))).ok()
	got := c.audit(inBase64(labelledPNG(t))).refused(402, "quota_exceeded")
	detail := got["detail"].(map[string]any)
	require.InDelta(t, 1, detail["required"], 0)
	require.InDelta(t, 0, detail["available"], 0)
	resets, err := time.Parse(time.RFC3339, detail["resets_at"].(string))
	require.NoError(t, err)
	require.Equal(t, time.UTC, resets.Location())
	require.Len(t, detail, 3)
	c.spent(1)
	c.call(http.MethodPost, "/api/v1/uploads", object("size", 1, "content_type", "image/png")).ok()
	c.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").refused(404, "not_found")
}

func TestUnknownJobsPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	for _, id := range []string{uuid.NewString(), "17", "%00"} {
		c.call(http.MethodGet, "/api/v1/audit/"+id, "").refused(404, "not_found")
		c.call(http.MethodGet, "/api/v1/optimize/"+id, "").refused(404, "not_found")
		for _, file := range []string{"/file", "/image"} {
			s.send(http.MethodGet, "/api/v1/optimize/"+id+file, "").refused(404, "not_found")
			s.send(http.MethodGet, "/api/v1/optimize/"+id+file, "", "X-API-Key", "wrong").refused(404, "not_found")
		}
	}
	s.send(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").refused(401, "invalid_key")
	s.send(http.MethodGet, "/api/v1/nothing", "").refused(404, "not_found")
	s.send(http.MethodGet, "/api/v1", "").refused(404, "not_found")
	r := s.send(http.MethodPut, "/api/v1/audit", "")
	r.refused(405, "method_not_allowed")
	require.Equal(t, "POST", r.header.Get("Allow"))
}

func TestOptimizeIsPausedAndSaysSo(t *testing.T) {
	t.Parallel()
	c := start(t, func(s *Settings) { s.Optimize = "off" }).customer(account.Overrides{})
	image := inBase64(labelledPNG(t))
	upload := c.upload("image/png", labelledPNG(t))
	for name, row := range map[string]refusal{
		"paused":                 {image, 503, "optimizations_disabled"},
		"an upload":              {object("image_upload_id", upload), 503, "optimizations_disabled"},
		"a voice clip":           {object("audio_upload_id", uuid.NewString()), 415, "unsupported_media"},
		"no source":              {`{}`, 400, "invalid_image"},
		"a callback of a number": {`{"image_url":"https://example.com/a","callback_url":5}`, 400, "invalid_callback"},
		"a callback in http":     {`{"image_url":"https://example.com/a","callback_url":"http://example.com/"}`, 400, "invalid_url"},
		"a callback's port":      {`{"image_url":"https://example.com/a","callback_url":"https://example.com:444/"}`, 400, "invalid_url"},
		"a callback's user":      {`{"image_url":"https://example.com/a","callback_url":"https://u:p@example.com/"}`, 400, "invalid_url"},
		"a private callback":     {`{"image_url":"https://example.com/a","callback_url":"https://10.0.0.1/"}`, 400, "invalid_url"},
		"an empty callback":      {`{"image_url":"https://example.com/a","callback_url":""}`, 400, "invalid_url"},
		"a callback to nowhere":  {`{"image_url":"https://example.com/a","callback_url":"https://veracity-test.invalid/"}`, 400, "invalid_callback"},
		"a callback home":        {`{"image_url":"https://example.com/a","callback_url":"https://localhost/"}`, 400, "invalid_callback"},
		"too long":               {`{"video_url":"https://example.com/a","seconds":200}`, 413, "video_too_long"},
	} {
		r := c.call(http.MethodPost, "/api/v1/optimize", row.body)
		require.Equal(t, row.status, r.status, "%s: %s", name, r.body)
		r.refused(row.status, row.code)
		if row.code == "optimizations_disabled" {
			require.Equal(t, "300", r.header.Get("Retry-After"))
		}
	}
	c.audit(object("image_upload_id", upload)).ok() // it stayed usable
	c.spent(1)
}

func TestFailureInsideSaysNothingOutside(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	s.DB.Close()
	got := c.call(http.MethodGet, "/api/v1/audit/"+uuid.NewString(), "").refused(500, string(fault.InternalError))
	require.NotContains(t, got["message"], "pool", "what failed inside stays inside")
	require.Contains(t, s.log.String(), "closed pool")
}

func TestOversizedBodyIsRefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	c := s.customer(account.Overrides{})
	// The declared length is over the cap, and little of it ever comes: the answer waits for none of it.
	_, err = fmt.Fprintf(conn, "POST /api/v1/audit HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 100000000\r\nExpect: 100-continue\r\n\r\n", c.key)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 413 Request Entity Too Large\r\n", line)
}

func TestMethodThatNobodyKnowsIsAnsweredInTheErrorShape(t *testing.T) {
	t.Parallel()
	r := start(t).send("FOO", "/api/v1/audit", "")
	r.refused(405, "method_not_allowed")
	require.Equal(t, "POST", r.header.Get("Allow"))
}
