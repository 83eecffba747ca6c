package web_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/engine/mediatest"
	"veracity/media"
	"veracity/playground"
	"veracity/usage"
)

// notes keeps what the request log is told.
type notes struct {
	mu  sync.Mutex
	all []usage.Entry
}

func (n *notes) Note(e usage.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, e)
}

func (n *notes) last() usage.Entry {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		return usage.Entry{}
	}
	return n.all[len(n.all)-1]
}

// playRig is a portal whose request log can be read, and which may fetch from the servers that are named.
func playRig(t *testing.T, allow ...string) (*rig, *notes) {
	t.Helper()
	r, noted := newRig(t), &notes{}
	r.Requests, r.media.Allow = noted, allow
	r.Media, r.Webhooks = r.media.OpenWithWebhooks(r.media.Queue)
	r.Playground = playground.New(playground.Parts{DB: r.DB, Media: r.Media})
	return r, noted
}

// part is one field of a multipart form; one with a name is a file.
type part struct{ field, name, value string }

// multi writes parts as a form.
func multi(t *testing.T, parts ...part) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var (
			to  io.Writer
			err error
		)
		if p.field == "file" {
			to, err = w.CreateFormFile(p.field, p.name)
		} else {
			to, err = w.CreateFormField(p.field)
		}
		require.NoError(t, err)
		_, err = io.WriteString(to, p.value)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), b.Bytes()
}

// upload posts a body to the playground as its form does, and follows where it leads.
func (b *browser) upload(contentType string, body io.Reader) *page {
	b.t.Helper()
	to, err := b.base.Parse("/account/playground")
	require.NoError(b.t, err)
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, to.String(), body)
	require.NoError(b.t, err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("X-Forwarded-For", b.address)
	res, err := b.client.Do(req)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return b.follow(&page{t: b.t, status: res.StatusCode, url: to, header: res.Header, text: string(text)})
}

// play sends the playground's form with what the page has put in it and the given parts in its order.
func (p *person) play(parts ...part) *page {
	p.t.Helper()
	form := p.get("/account/playground").form("/account/playground")
	kind, body := multi(p.t, append([]part{{"id", "", form.Get("id")}}, parts...)...)
	return p.upload(kind, bytes.NewReader(body))
}

// spent is what the account has spent, and what it has set aside.
func (r *rig) spent(t *testing.T, who *person) (spent, held int64) {
	t.Helper()
	err := r.DB.QueryRow(t.Context(), `SELECT spent, held FROM credit_period WHERE account_id = $1`, who.Account).Scan(&spent, &held)
	require.NoError(t, err)
	return spent, held
}

func TestFileIsCheckedAndItsLanesAreExplained(t *testing.T) {
	t.Parallel()
	r, noted := playRig(t)
	dev := r.person(t, access.Developer)
	page := dev.get("/account/playground")
	require.Contains(t, page.text, "an image 1 credit")
	require.Contains(t, page.text, "<strong>10,000 credits</strong> left")
	require.Contains(t, page.text, "Nothing checked yet")

	result := dev.play(part{"kind", "", ""}, part{"seconds", "", ""}, part{"url", "", ""}, part{"file", "cat.png", string(mediatest.PNG(t, 16, 16))})
	require.Equal(t, http.StatusOK, result.status, result.text)
	require.Regexp(t, `^/account/playground/[0-9a-f-]{36}$`, result.url.Path)
	for _, want := range []string{
		"AI-generated", "98 <span class=\"muted\">of 100", "what the file says of its own origin", "Issuer: Stable Diffusion WebUI",
		"A generator&#39;s record of how it made the file", "png:tEXt:parameters", "No model that judges pixels is loaded",
		"aria-label=\"Score 98 on a scale", "&#34;decided_by&#34;: &#34;provenance&#34;", "image_base64", "1 credit",
	} {
		require.Contains(t, result.text, want)
	}
	require.Contains(t, result.text, "&lt;b&gt;cat&lt;/b&gt;·, Steps", "a file's own words are text, and none of them turns the line around")
	require.NotContains(t, result.text, "\u202e")
	spent, held := r.spent(t, dev)
	require.Equal(t, []int64{1, 0}, []int64{spent, held})
	require.Contains(t, dev.get("/account/playground").text, "cat.png")
	e := noted.last()
	require.Equal(t, []any{dev.Account, uuid.Nil, "POST /audit", http.StatusOK, "ai", int64(1)},
		[]any{e.Account, e.Key, e.Call(), e.Status, e.Verdict, e.Credits})
}

func TestURLIsCheckedAndItsSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(mediatest.PNG(t, 16, 16))
	}))
	t.Cleanup(files.Close)
	r, _ := playRig(t, files.Listener.Addr().String())
	owner := r.person(t, access.Owner)
	result := owner.play(part{"kind", "", "image"}, part{"url", "", files.URL + "/a/cat.png?token=hush"}, part{"file", "", ""})
	require.Equal(t, http.StatusOK, result.status, result.text)
	require.Contains(t, result.text, "AI-generated")
	require.Contains(t, result.text, files.URL+"/a/cat.png")
	require.Zero(t, r.rowsWith(t, "hush"))

	refused := owner.play(part{"url", "", "http://10.0.0.1/cat.png"})
	require.Equal(t, http.StatusOK, refused.status, "a refusal is written down as a run")
	require.Contains(t, refused.text, "invalid_url")
	require.Contains(t, refused.text, "/docs/errors#invalid_url")
	spent, held := r.spent(t, owner)
	require.Equal(t, []int64{1, 0}, []int64{spent, held})
}

func TestVideoFromAFormBecomesAJobThatBothPagesFollow(t *testing.T) {
	t.Parallel()
	r, noted := playRig(t)
	owner := r.person(t, access.Owner)
	running := owner.play(part{"seconds", "", "13"}, part{"file", "clip.mp4", string(mediatest.MP4Head())})
	require.Equal(t, http.StatusOK, running.status, running.text)
	require.Contains(t, running.text, "data-refresh")
	require.Contains(t, running.text, ">Refresh</a>")
	require.Equal(t, http.StatusAccepted, noted.last().Status)
	_, held := r.spent(t, owner)
	require.Equal(t, int64(3), held, "for the 13 s that were promised")
	jobs, err := r.Media.Jobs(t.Context(), owner.Account, media.JobFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	path := "/account/jobs/" + jobs[0].ID.String()
	require.Contains(t, running.text, path)
	require.Contains(t, owner.get(path).text, "data-refresh")

	r.media.Drive(jobs[0].ID)
	for _, at := range []string{running.url.Path, path} {
		done := owner.get(at)
		require.NotContains(t, done.text, "data-refresh", at)
		require.Contains(t, done.text, "no verdict", at)
		require.Contains(t, done.text, "&#34;media&#34;: &#34;video&#34;", at)
	}
	spent, held := r.spent(t, owner)
	require.Equal(t, []int64{3, 0}, []int64{spent, held})
}

func TestPlaygroundFormSentTwiceSpendsOnce(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	form := owner.get("/account/playground").form("/account/playground")
	kind, body := multi(t, part{"id", "", form.Get("id")}, part{"file", "cat.png", string(mediatest.PNG(t, 16, 16))})
	first, second := owner.upload(kind, bytes.NewReader(body)), owner.upload(kind, bytes.NewReader(body))
	require.Equal(t, first.url.Path, second.url.Path)
	require.Contains(t, second.text, "AI-generated")
	spent, held := r.spent(t, owner)
	require.Equal(t, []int64{1, 0}, []int64{spent, held})
}

func TestRolesThatMayNotSpendSeeThePlaygroundAndAreRefused(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	for _, role := range []access.Role{access.Viewer, access.Billing} {
		who := r.person(t, role)
		page := who.get("/account/playground")
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.text, "Your role can look at runs but not start one")
		require.Regexp(t, `<button[^>]* disabled[^>]*>Check it`, page.text)
		refused := who.play(part{"file", "cat.png", string(mediatest.PNG(t, 16, 16))})
		require.Equal(t, http.StatusForbidden, refused.status, role)
		spent, held := r.spent(t, who)
		require.Equal(t, []int64{0, 0}, []int64{spent, held})
	}
}

func TestPlaygroundSaysWhyNothingCanBeChecked(t *testing.T) {
	t.Parallel()
	r, noted := playRig(t)
	owner := r.person(t, access.Owner)
	file := part{"file", "cat.png", string(mediatest.PNG(t, 16, 16))}
	set := func(sql string) {
		t.Helper()
		_, err := r.DB.Exec(t.Context(), sql, owner.Account)
		require.NoError(t, err)
	}
	set(`UPDATE credit_period SET spent = granted WHERE account_id = $1`)
	require.Contains(t, owner.get("/account/playground").text, "All credits of this period are used")
	require.Contains(t, owner.play(file).text, "quota_exceeded")
	require.Equal(t, "quota_exceeded", noted.last().Code)

	set(`UPDATE credit_period SET spent = 0 WHERE account_id = $1`)
	for state, want := range map[string]string{"payment_failed": "The last payment failed", "plan_required": "The plan has no credits", "suspended": "The account is suspended"} {
		set(`UPDATE account SET state = '` + state + `' WHERE id = $1`)
		page := owner.get("/account/playground")
		require.Contains(t, page.text, want)
		require.Regexp(t, `<button[^>]* disabled[^>]*>Check it`, page.text)
		refused := owner.play(file)
		require.Equal(t, http.StatusPaymentRequired, refused.status, state)
		require.Contains(t, refused.text, `role="alert"`)
	}
	spent, held := r.spent(t, owner)
	require.Equal(t, []int64{0, 0}, []int64{spent, held})
}

func TestForeignRunsReadAsNotFound(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner, stranger := r.person(t, access.Owner), r.person(t, access.Owner)
	done := owner.play(part{"file", "cat.png", string(mediatest.PNG(t, 16, 16))})
	require.Equal(t, http.StatusOK, done.status)
	require.Equal(t, http.StatusNotFound, stranger.get(done.url.Path).status)
	kind, body := multi(t, part{"id", "", strings.TrimPrefix(done.url.Path, "/account/playground/")}, part{"file", "cat.png", "x"})
	require.Equal(t, http.StatusNotFound, stranger.upload(kind, bytes.NewReader(body)).status, "another account's id")
	for _, id := range []string{uuid.NewString(), "x", "{" + uuid.NewString() + "}"} {
		require.Equal(t, http.StatusNotFound, owner.get("/account/playground/"+url.PathEscape(id)).status)
	}
	spent, held := r.spent(t, stranger)
	require.Equal(t, []int64{0, 0}, []int64{spent, held})
}

func TestHostileFormsAreRefusedAndSpendNothing(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	id := part{"id", "", uuid.NewString()}
	png := string(mediatest.PNG(t, 16, 16))
	kind, whole := multi(t, id, part{"file", "cat.png", png})
	many := []part{id}
	for range 20 {
		many = append(many, part{"x", "", "y"})
	}
	for name, c := range map[string]struct {
		want  string
		parts []part
		kind  string
		body  string
	}{
		"no file":           {want: "Choose a file, or give the URL", parts: []part{id, {"url", "", " "}, {"file", "", ""}}},
		"file and URL":      {want: "not both", parts: []part{id, {"url", "", "https://example.com/a.png"}, {"file", "cat.png", png}}},
		"no id":             {want: "The form is incomplete", parts: []part{{"file", "cat.png", png}}},
		"an odd id":         {want: "The form is incomplete", parts: []part{{"id", "", "1"}, {"file", "cat.png", png}}},
		"fields after all":  {want: "too many fields", parts: many},
		"a long field":      {want: "too long", parts: []part{id, {"url", "", strings.Repeat("x", 5000)}}},
		"a length below 0":  {want: "must be a positive number", parts: []part{id, {"seconds", "", "-1"}, {"file", "a.mp4", string(mediatest.MP4Head())}}},
		"a length too long": {want: "up to 180 seconds", parts: []part{id, {"seconds", "", "999"}, {"file", "a.mp4", string(mediatest.MP4Head())}}},
		"two small files":   {want: "Send one file at a time", parts: []part{id, {"file", "a.png", png}, {"file", "b.png", png}}},
		"cut off early":     {want: "did not arrive whole", kind: kind, body: string(whole[:len(whole)-40])},
		"no boundary":       {want: "could not be read", kind: "multipart/form-data", body: string(whole)},
		"an empty body":     {want: "The form is incomplete", kind: kind, body: ""},
		"no multipart":      {want: "could not be read", kind: "application/x-www-form-urlencoded", body: "id=" + id.value},
	} {
		sent, body := c.kind, []byte(c.body)
		if c.kind == "" {
			sent, body = multi(t, c.parts...)
		}
		refused := owner.upload(sent, bytes.NewReader(body))
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, name)
		require.Contains(t, refused.text, c.want, name)
		require.Contains(t, refused.text, `role="alert"`, name)
	}
	// What is found wrong while the rest of the file is read is written down with its run.
	large := png + strings.Repeat("\x00", 10_000)
	for name, c := range map[string]struct {
		want string
		body func(id string) (string, []byte)
	}{
		"two files": {"Send one file at a time", func(id string) (string, []byte) {
			return multi(t, part{"id", "", id}, part{"file", "a.png", large}, part{"file", "b.png", png})
		}},
		"cut off": {"did not arrive whole", func(id string) (string, []byte) {
			kind, body := multi(t, part{"id", "", id}, part{"file", "a.png", large})
			return kind, body[:len(body)-40]
		}},
		"an image too large": {"image_too_large", func(id string) (string, []byte) {
			return multi(t, part{"id", "", id}, part{"file", "a.png", png + strings.Repeat("\x00", int(media.MaxImageBytes))})
		}},
	} {
		kind, body := c.body(uuid.NewString())
		failed := owner.upload(kind, bytes.NewReader(body))
		require.Equal(t, http.StatusOK, failed.status, name)
		require.Contains(t, failed.text, c.want, name)
		require.Contains(t, failed.text, "Nothing was charged", name)
	}
	spent, held := r.spent(t, owner)
	require.Equal(t, []int64{0, 0}, []int64{spent, held})
}

func TestWhatWasTypedStaysWhenTheFormIsRefused(t *testing.T) {
	t.Parallel()
	r, _ := playRig(t)
	owner := r.person(t, access.Owner)
	kind, body := multi(t, part{"id", "", uuid.NewString()}, part{"kind", "", "audio"}, part{"url", "", "https://example.com/a.mp3"}, part{"file", "b.mp3", "x"})
	refused := owner.upload(kind, bytes.NewReader(body))
	form := refused.form("/account/playground")
	require.Equal(t, "https://example.com/a.mp3", form.Get("url"))
	require.Equal(t, "audio", form.Get("kind"))
	require.Contains(t, refused.text, fmt.Sprintf("value=%q", form.Get("id")))
}
