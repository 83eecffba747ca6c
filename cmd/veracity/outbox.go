package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"veracity/platform/mail"
	views "veracity/views/mail"
)

// outboxShown is how many mails the list has.
const outboxShown = 100

// outboxPages shows a development server's mails. They hold links that sign people in, so the pages are for the private
// address alone, and for whoever calls it by a name of this machine: else a page of any site could have its own name lead
// here and read them (DNS rebinding).
func (a *App) outboxPages(box *mail.Outbox) http.Handler {
	pages := &outbox{box: box, app: a}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+views.OutboxPath+"/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, views.OutboxPath, http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET "+views.OutboxPath, pages.list)
	mux.HandleFunc("GET "+views.OutboxPath+"/outbox.css", pages.style)
	mux.HandleFunc("GET "+views.OutboxPath+"/{name}", pages.message)
	mux.HandleFunc("GET "+views.OutboxPath+"/{name}/html", pages.html)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			http.Error(w, "Ask for this page by the address that the server printed.", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// ownName tells whether a Host header is an address or localhost.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil
}

type outbox struct {
	box *mail.Outbox
	app *App
}

func (o *outbox) list(w http.ResponseWriter, r *http.Request) {
	received, err := o.box.List(outboxShown)
	if err != nil {
		o.fail(w, r, err)
		return
	}
	rows := make([]views.OutboxRow, len(received))
	for i := range received {
		rows[i] = row(received[i])
	}
	templ.Handler(views.OutboxPage(o.box.Dir(), rows)).ServeHTTP(w, r) //nolint:contextcheck // a component has its context from the request
}

func row(m mail.Received) views.OutboxRow {
	return views.OutboxRow{Name: m.Name, At: m.At.Format(time.RFC3339), To: m.To, Subject: m.Subject}
}

func (o *outbox) message(w http.ResponseWriter, r *http.Request) {
	m, err := o.box.Read(r.PathValue("name"))
	if err != nil {
		o.fail(w, r, err)
		return
	}
	shown := views.OutboxMessage{OutboxRow: row(m), From: m.From, Text: m.Text, HasHTML: m.HTML != ""}
	for name, values := range m.Header {
		for _, value := range values {
			shown.Headers = append(shown.Headers, name+": "+value)
		}
	}
	slices.Sort(shown.Headers)
	templ.Handler(views.OutboxMessagePage(shown)).ServeHTTP(w, r) //nolint:contextcheck // as above
}

// html is the HTML part with the style attributes that mails need, in a sandbox: no script, no form, no request.
func (o *outbox) html(w http.ResponseWriter, r *http.Request) {
	m, err := o.box.Read(r.PathValue("name"))
	if err == nil && m.HTML == "" {
		err = mail.ErrNoMessage
	}
	if err != nil {
		o.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, m.HTML) // nothing can be told to a reader who has gone
}

func (o *outbox) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = io.WriteString(w, views.OutboxStyle) // as above
}

func (o *outbox) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, mail.ErrNoMessage) {
		http.Error(w, "There is no such mail.", http.StatusNotFound)
		return
	}
	o.app.Log.ErrorContext(r.Context(), "read outbox", "error", err)
	http.Error(w, "The outbox cannot be read; the log says why.", http.StatusInternalServerError)
}

// mailsGo says where mails go: to a page, a folder or a server.
func (a *App) mailsGo() string {
	box, ok := a.Mail.(*mail.Outbox)
	switch {
	case !ok:
		return mail.Redacted(a.Settings.Mail.URL)
	case a.Settings.development && a.private != "":
		return "http://" + a.private + views.OutboxPath
	}
	return box.Dir()
}
