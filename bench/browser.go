package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/platform/mail"
)

// browser is a person's: it keeps cookies and follows no redirect by itself.
type browser struct {
	base   string
	client *http.Client
}

func (r *rig) openBrowser() (*browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("make a cookie jar: %w", err)
	}
	b := &browser{base: "http://" + r.address, client: newClient(1)}
	b.client.Jar = jar
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b, nil
}

func (b *browser) close() { b.client.CloseIdleConnections() }

// cookies are the browser's as it sends them.
func (b *browser) cookies() string {
	at, err := url.Parse(b.base)
	if err != nil {
		return "" // an address of the rig's own can be read
	}
	var pairs []string
	for _, c := range b.client.Jar.Cookies(at) {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}

// send sends a form, which must be acted on: 303 to the given page.
func (b *browser) send(ctx context.Context, path string, form url.Values, to string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("write a form: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := b.client.Do(req)
	if err != nil {
		return fmt.Errorf("send a form: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("read the answer to a form: %w", err)
	}
	if where := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || where != to {
		return fmt.Errorf("the form of %s was answered %d and led to %q, not to %s", path, resp.StatusCode, where, to)
	}
	return nil
}

// signIn sets the password of the owner of a customer's account by the mail for that, and signs him in with as many
// browsers as are asked for.
func (r *rig) signIn(ctx context.Context, name string, n int) ([]*browser, error) {
	email, password := name+"@bench.invalid", uuid.NewString()
	if err := r.setPassword(ctx, email, password); err != nil {
		return nil, fmt.Errorf("set the password of %s: %w", email, err)
	}
	browsers := make([]*browser, n)
	for i := range browsers {
		b, err := r.openBrowser()
		if err != nil {
			return nil, err
		}
		if err := b.send(ctx, "/login", url.Values{"email": {email}, "password": {password}}, accountPath); err != nil {
			return nil, fmt.Errorf("sign %s in: %w", email, err)
		}
		b.close() // what it keeps are its cookies
		browsers[i] = b
	}
	return browsers, nil
}

func (r *rig) setPassword(ctx context.Context, email, password string) error {
	b, err := r.openBrowser()
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.send(ctx, "/forgot", url.Values{"email": {email}}, "/forgot"); err != nil {
		return err
	}
	text, err := r.awaitMail(ctx, email)
	if err != nil {
		return err
	}
	token, err := resetToken(text)
	if err != nil {
		return err
	}
	return b.send(ctx, "/reset", url.Values{"token": {token}, "password": {password}}, "/login")
}

func (r *rig) outboxDir() string { return filepath.Join(r.dir, "outbox") }

// awaitMail has a worker send what is queued, and gives the text of the first mail to an address.
func (r *rig) awaitMail(ctx context.Context, email string) (text string, err error) {
	worker, err := r.startWorker(ctx, "worker-mail")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, worker.stop()) }()
	box, err := mail.OpenOutbox(r.outboxDir(), "")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := box.List(100)
		if err != nil {
			return "", err
		}
		for _, m := range list {
			if m.To == email {
				return m.Text, nil
			}
		}
		if err := worker.failed(); err != nil {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("wait for the mail: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

var resetLink = regexp.MustCompile(`https?://\S+/reset\?\S+`)

// resetToken is the token of the link in the text of a mail.
func resetToken(text string) (string, error) {
	link, err := url.Parse(resetLink.FindString(text))
	if err != nil {
		return "", fmt.Errorf("read the link of the mail: %w", err)
	}
	token := link.Query().Get("token")
	if token == "" {
		return "", fmt.Errorf("the mail has no link to set a password: %s", text)
	}
	return token, nil
}
