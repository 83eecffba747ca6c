package web_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// browser is a visitor without JavaScript: it keeps cookies, follows redirects and sends forms.
type browser struct {
	t      *testing.T
	client *http.Client
	base   *url.URL
	// address is where it says to come from.
	address string
}

// maxHops is how many redirects a browser follows.
const maxHops = 5

// browser makes a visitor whom the portal has not seen.
func (r *rig) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	base, err := url.Parse(r.origin)
	require.NoError(t, err)
	client := r.server.Client()
	client = &http.Client{Transport: client.Transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return &browser{t: t, client: client, base: base, address: "192.0.2.1"}
}

// page is what a browser shows.
type page struct {
	t      *testing.T
	status int
	url    *url.URL
	header http.Header
	text   string
}

// get opens a page and follows where it leads.
func (b *browser) get(path string) *page {
	b.t.Helper()
	return b.follow(b.once(http.MethodGet, path, nil))
}

// post sends a form and follows where it leads.
func (b *browser) post(path string, form url.Values) *page {
	b.t.Helper()
	return b.follow(b.once(http.MethodPost, path, form))
}

// once makes one request as this site's own pages do, and follows nothing.
func (b *browser) once(method, path string, form url.Values) *page {
	b.t.Helper()
	return b.do(method, path, form, "same-origin")
}

// do makes one request from a site of that relation (Sec-Fetch-Site).
func (b *browser) do(method, path string, form url.Values, site string) *page {
	b.t.Helper()
	to, err := b.base.Parse(path)
	require.NoError(b.t, err)
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, to.String(), body)
	require.NoError(b.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Sec-Fetch-Site", site)
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	req.Header.Set("X-Forwarded-For", b.address)
	res, err := b.client.Do(req)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return &page{t: b.t, status: res.StatusCode, url: to, header: res.Header, text: string(text)}
}

func (b *browser) follow(p *page) *page {
	b.t.Helper()
	for range maxHops {
		if p.status != http.StatusSeeOther {
			return p
		}
		to, err := p.url.Parse(p.header.Get("Location"))
		require.NoError(b.t, err)
		require.Equal(b.t, b.base.Host, to.Host, "a redirect leads elsewhere")
		p = b.once(http.MethodGet, to.RequestURI(), nil)
	}
	require.Fail(b.t, "redirects without end", p.url.String())
	return nil
}

// send fills in the form of a page that goes to action, with pairs of name and value on top of what the page has put in
// it, and sends it.
func (b *browser) send(p *page, action string, pairs ...string) *page {
	b.t.Helper()
	form := p.form(action)
	for i := 0; i+1 < len(pairs); i += 2 {
		require.True(b.t, form.Has(pairs[i]), "the form to %s has no field %s", action, pairs[i])
		form.Set(pairs[i], pairs[i+1])
	}
	return b.post(action, form)
}

// form is the first form of a page that is posted to action, with the values that the page has put in it.
func (p *page) form(action string) url.Values {
	p.t.Helper()
	doc, err := html.Parse(strings.NewReader(p.text))
	require.NoError(p.t, err)
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" && attr(n, "action") == action && attr(n, "method") == "post" {
			return fields(n)
		}
	}
	require.Fail(p.t, "no such form", "to %s on %s (%d):\n%s", action, p.url, p.status, p.text)
	return nil
}

func fields(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		name := attr(n, "name")
		if n.Type != html.ElementNode || name == "" {
			continue
		}
		switch n.Data {
		case "input":
			kind := attr(n, "type")
			if (kind == "radio" || kind == "checkbox") && !has(n, "checked") {
				continue
			}
			values.Add(name, attr(n, "value"))
		case "textarea":
			values.Add(name, "")
		case "select":
			values.Add(name, chosen(n))
		}
	}
	return values
}

// chosen is the value of a select: the option that is selected, or the first.
func chosen(box *html.Node) string {
	first, found := "", false
	for n := range box.Descendants() {
		if n.Type != html.ElementNode || n.Data != "option" {
			continue
		}
		if has(n, "selected") {
			return attr(n, "value")
		}
		if !found {
			first, found = attr(n, "value"), true
		}
	}
	return first
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
