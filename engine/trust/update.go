package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"veracity/engine/c2pa/certs"
)

// Limits of one list.
const (
	maxListBytes = 4 << 20
	fetchTimeout = 30 * time.Second
)

// Sources are where the lists come from, by the name of their file.
type Sources map[string]string

// OfficialSources are the C2PA's own trust list and time-stamp trust list (github.com/c2pa-org/conformance-public,
// trust-list), and the interim list of the Content Authenticity Initiative, which has been frozen since 2026
// (opensource.contentauthenticity.org/docs/conformance/trust-lists).
func OfficialSources() Sources {
	const (
		official = "https://raw.githubusercontent.com/c2pa-org/conformance-public/main/trust-list/"
		interim  = "https://contentcredentials.org/trust/"
	)
	return Sources{
		certs.AnchorsFile:      official + "C2PA-TRUST-LIST.pem",
		certs.StampAnchorsFile: official + "C2PA-TSA-TRUST-LIST.pem",
		certs.InterimFile:      interim + "anchors.pem",
		certs.AllowedFile:      interim + "allowed.pem",
		certs.UsagesFile:       interim + "store.cfg",
	}
}

// Validate names the source that is wrong.
func (s Sources) Validate() error {
	known := OfficialSources()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if _, ok := known[name]; !ok {
			return fmt.Errorf("VERACITY_TRUST_SOURCES names the list %q: known are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		u, err := url.Parse(s[name])
		if err != nil || u.Host == "" || (u.Scheme != "https" && !loopback(u)) {
			return fmt.Errorf("VERACITY_TRUST_SOURCES has %s=%s: an https:// address is needed", name, s[name])
		}
	}
	return nil
}

// loopback lets a mirror on the same machine speak plain HTTP. Whoever can change a list on its way chooses whom to trust.
func loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && ip != nil && ip.IsLoopback()
}

// Updated says what an update did.
type Updated struct {
	// Changed are the files that have new content, Same those that were as they are.
	Changed []string `json:"changed"`
	Same    []string `json:"same"`
	// Anchors, StampAnchors and Allowed count what the folder now holds.
	Anchors      int `json:"anchors"`
	StampAnchors int `json:"time_stamp_anchors"`
	Allowed      int `json:"allowed"`
}

// Update fetches every source, checks that it reads as a list, and then puts it in place of the one before: each file
// whole or not at all. A source that fails leaves its file as it is; the others are taken, and the error names all that
// failed. A list without a certificate is refused: an empty answer must not untrust everybody.
func Update(ctx context.Context, dir string, sources Sources) (Updated, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // Public data, read by the engine's own user.
		return Updated{}, fmt.Errorf("update trust lists: %w", err)
	}
	client := &http.Client{Timeout: fetchTimeout, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}
	defer client.CloseIdleConnections()
	var done Updated
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		changed, err := updateOne(ctx, client, dir, name, sources[name])
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("update trust list %s: %w", name, err))
		case changed:
			done.Changed = append(done.Changed, name)
		default:
			done.Same = append(done.Same, name)
		}
	}
	lists, err := certs.Load(dir)
	if err != nil {
		return done, errors.Join(append(errs, err)...)
	}
	done.Anchors, done.StampAnchors, done.Allowed = lists.Anchors, lists.StampAnchors, lists.Allowed
	return done, errors.Join(errs...)
}

// updateOne fetches one list. A file that is the same is marked as looked at.
func updateOne(ctx context.Context, client *http.Client, dir, name, address string) (changed bool, err error) {
	body, err := fetch(ctx, client, address)
	if err != nil {
		return false, err
	}
	if err := readable(name, body); err != nil {
		return false, err
	}
	path := filepath.Join(dir, name)
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, body) {
		now := time.Now()
		return false, os.Chtimes(path, now, now)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	return true, replace(path, body)
}

func fetch(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered with status %d", address, resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxListBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxListBytes {
		return nil, fmt.Errorf("%s sent more than %d bytes", address, maxListBytes)
	}
	return body, nil
}

// readable tries a list in a folder of its own.
func readable(name string, body []byte) (err error) {
	dir, err := os.MkdirTemp("", "veracity-trust-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
		return err
	}
	lists, err := certs.Load(dir)
	if err != nil {
		return err
	}
	if name != certs.UsagesFile && lists.Anchors+lists.StampAnchors+lists.Allowed == 0 {
		return errors.New("the answer holds no certificate")
	}
	return nil
}

// replace writes a file that appears whole or not at all.
func replace(path string, body []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".update-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(body)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// Age is how long ago the lists of a folder were last found fresh. ok is false where there are none.
func Age(dir string, now time.Time) (age time.Duration, ok bool) {
	oldest := time.Time{}
	for name := range OfficialSources() {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && (oldest.IsZero() || info.ModTime().Before(oldest)) {
			oldest = info.ModTime()
		}
	}
	return max(now.Sub(oldest), 0), !oldest.IsZero()
}
