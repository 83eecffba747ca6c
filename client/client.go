package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"
)

// version is that of this package, for the User-Agent.
const version = "1.0.0"

// prefix is where the API lies under the base address.
const prefix = "/api/v1"

// Client calls the API with one key. It is safe for concurrent use.
type Client struct {
	base    string
	key     string
	agent   string
	retry   Retry
	attempt time.Duration
	notice  func(Notice)
	// http follows no redirects: a key must not travel to where an answer points.
	http *http.Client
}

// Option changes how a [Client] works.
type Option func(*Client)

// WithHTTPClient has calls go through h, with its transport and cookies. Its redirects are not followed, and its Timeout
// should be 0: it would also cut off uploads and downloads.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) { c.http = h }
}

// WithUserAgent puts the name of the calling program before the client's own, as in "shop/2.1".
func WithUserAgent(name string) Option {
	return func(c *Client) { c.agent = name + " " + c.agent }
}

// WithRetry sets what is tried again. Fields that are 0 keep their defaults.
func WithRetry(r Retry) Option {
	return func(c *Client) { c.retry = r.orDefaults() }
}

// WithAttemptTime bounds one attempt of a call, from the connection to the answer's end. The default is 30 seconds for
// readings, 2 minutes for calls, and 6 and a half minutes for calls that have the service fetch a video or voice clip.
// Uploads and downloads are not bounded by it: they end when no byte has moved for a minute.
func WithAttemptTime(d time.Duration) Option {
	return func(c *Client) { c.attempt = d }
}

// WithNotice has each wait before another attempt told to tell, which may be called from several goroutines at a time.
func WithNotice(tell func(Notice)) Option {
	return func(c *Client) { c.notice = tell }
}

// New makes a client for the service at baseURL, such as https://veracity.example, with an API key.
func New(baseURL, key string, options ...Option) (*Client, error) {
	base, err := cleanBase(baseURL)
	if err != nil {
		return nil, err
	}
	key = strings.TrimSpace(key)
	switch {
	case key == "":
		return nil, errors.New("veracity: the API key is empty")
	case strings.HasPrefix(key, secretPrefix):
		return nil, errors.New("veracity: this is a signing secret; the API key starts with svc_live_")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("veracity: the API key has characters that no key has")
	}
	c := &Client{
		base: base, key: key, retry: Retry{}.orDefaults(), notice: func(Notice) {},
		agent: fmt.Sprintf("veracity-go/%s (%s; %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		http:  &http.Client{Transport: ownTransport()},
	}
	for _, option := range options {
		option(c)
	}
	own := *c.http
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// ownTransport leaves the connections of a client apart from those of the rest of the program.
func ownTransport() http.RoundTripper {
	if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		return shared.Clone()
	}
	return http.DefaultTransport // somebody has put another in its place, and wants it used
}

func cleanBase(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("veracity: the address of the service must be written https://HOST or http://HOST, and this is %q", withoutUser(raw))
	}
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), prefix), nil
}

// withoutUser keeps a password out of an error.
func withoutUser(raw string) string {
	if at := strings.LastIndexByte(raw, '@'); at >= 0 {
		return "…" + raw[at:]
	}
	return raw
}

// String names the service and not the key.
func (c *Client) String() string { return "veracity client of " + c.base }

// GoString is String: %#v must not show the key either.
func (c *Client) GoString() string { return c.String() }
