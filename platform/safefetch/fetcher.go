// Package safefetch makes the requests whose URL a customer chose: it fetches media and delivers webhooks. It refuses
// every address that is not public, at the moment of connecting, so that odd spellings, redirects and DNS answers that
// change meet the same check; and it bounds what a peer can cost in bytes and time.
//
// Nothing else may live here: no business rule, no error code of the API, no decoding of what was fetched. Requests to
// hosts that the operator chose (storage, payment) do not need it.
package safefetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"code.dny.dev/ssrf"
)

// maxHeaderBytes bounds a response's headers; common servers send at most 8 to 16 KiB.
const maxHeaderBytes = 64 << 10

// Fetcher is safe for concurrent use and keeps no connection, cookie or credential between requests.
type Fetcher struct {
	cfg       Config
	allow     map[string]bool
	guard     *ssrf.Guardian
	resolver  *net.Resolver
	transport *http.Transport
}

// New makes a fetcher, or says which setting is wrong.
func New(cfg Config) (*Fetcher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("make fetcher: %w", err)
	}
	allow, err := cfg.allowed()
	if err != nil {
		return nil, fmt.Errorf("make fetcher: %w", err)
	}
	f := &Fetcher{cfg: cfg, allow: allow, guard: ssrf.New(), resolver: cfg.Resolver}
	if f.resolver == nil {
		f.resolver = net.DefaultResolver
	}
	f.transport = f.newTransport()
	return f, nil
}

func (f *Fetcher) newTransport() *http.Transport {
	// HTTP/2 would share connections among requests, and its PING frames would pass for a peer that sends.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		// A proxy would be dialled in place of the host, so the guard would judge the wrong address.
		Proxy:                  nil,
		DialContext:            f.dial,
		Protocols:              protocols,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: f.cfg.RootCAs},
		TLSHandshakeTimeout:    f.cfg.ConnectTimeout,
		ResponseHeaderTimeout:  f.cfg.IdleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
}

// send makes one request and follows nothing. It goes to the transport itself: http.Client would add a Referer and
// credentials on the way.
func (f *Fetcher) send(
	ctx context.Context, method string, u *url.URL, header http.Header, body io.Reader,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", withoutURL(err))
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", f.cfg.UserAgent)
	}
	req.Header.Set("Accept-Encoding", "identity")
	return f.transport.RoundTrip(req)
}
