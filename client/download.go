package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Download writes the file of an optimization that has succeeded to to, and gives its length in bytes. A transfer that
// breaks off goes on where it was. Received, which may be nil, is told how much has come; total is -1 when unknown.
func (c *Client) Download(ctx context.Context, job *Optimization, to io.Writer, received func(got, total int64)) (int64, error) {
	if job.FileURL == "" {
		return 0, fmt.Errorf("veracity: the optimization %s has no file: its status is %q", job.ID, job.Status)
	}
	if received == nil {
		received = func(int64, int64) {}
	}
	d := &download{url: job.FileURL, to: to, received: received}
	tries := c.tries("download of " + job.ID)
	for {
		before := d.got
		err := c.fetch(ctx, d)
		if err == nil {
			return d.got, nil
		}
		if d.got > before {
			tries.failed = 0 // what moves is not given up
		}
		if err := tries.again(ctx, err, repeatable(err, true, false)); err != nil {
			return d.got, err
		}
	}
}

// DownloadFile is Download to a file at path, which appears whole or not at all and replaces one that is there.
func (c *Client) DownloadFile(ctx context.Context, job *Optimization, path string, received func(got, total int64)) (n int64, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".veracity-*")
	if err != nil {
		return 0, fmt.Errorf("veracity: write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	n, err = c.Download(ctx, job, temp, received)
	if err != nil {
		return n, errors.Join(err, temp.Close())
	}
	if err := errors.Join(temp.Chmod(0o644), temp.Close()); err != nil {
		return n, fmt.Errorf("veracity: write %s: %w", path, err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return n, fmt.Errorf("veracity: write %s: %w", path, err)
	}
	return n, nil
}

// download is a file on its way here, over as many answers as it takes.
type download struct {
	url      string
	to       io.Writer
	received func(got, total int64)
	// got is how much has been written, of the version of the file that tag names.
	got int64
	tag string
}

// fetch makes one attempt at what is missing of a download.
func (c *Client) fetch(ctx context.Context, d *download) error {
	ctx, guard := guardStall(ctx)
	defer guard.end()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return permanent(errors.New("veracity: the file's address cannot be used"))
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept-Encoding", "identity") // positions are those of the file
	if d.got > 0 && strong(d.tag) {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(d.got, 10)+"-")
		req.Header.Set("If-Range", d.tag)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return unreached(ctx, "download", err)
	}
	defer func() { _ = resp.Body.Close() }()
	guard.moved()
	if err := d.place(resp); err != nil {
		return err
	}
	if err := d.copy(resp, guard.moved); err != nil {
		return unreached(ctx, "download", err)
	}
	return nil
}

// place sees to it that the answer's next byte is the one that is missing (RFC 9110, sections 14 and 15.3.7).
func (d *download) place(resp *http.Response) error {
	tag := resp.Header.Get("ETag")
	switch {
	case resp.StatusCode == http.StatusPartialContent && d.got > 0:
		from, _, _ := strings.Cut(strings.TrimPrefix(resp.Header.Get("Content-Range"), "bytes "), "-")
		if from != strconv.FormatInt(d.got, 10) || tag != d.tag {
			return permanent(errors.New("veracity: download: the server sent another part than was asked for"))
		}
		return nil
	case resp.StatusCode != http.StatusOK:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what is missing of an explanation is no failure of its own
		return refusal("GET of the optimized file", resp, body)
	case d.got == 0:
		d.tag = tag
		return nil
	case tag != d.tag || !strong(tag):
		return permanent(errors.New("veracity: download: it broke off, and the server cannot go on with the same file"))
	}
	// It has no ranges: what is here already goes by once more.
	if _, err := io.CopyN(io.Discard, resp.Body, d.got); err != nil {
		return fmt.Errorf("veracity: download: %w", err)
	}
	return nil
}

// strong tells an entity tag that stands for the very same bytes (RFC 9110, section 8.8.1).
func strong(tag string) bool { return strings.HasPrefix(tag, `"`) }

func (d *download) copy(resp *http.Response, moved func()) error {
	total := int64(-1)
	if resp.ContentLength >= 0 {
		total = resp.ContentLength
		if resp.StatusCode == http.StatusPartialContent {
			total += d.got
		}
	}
	buffer := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buffer)
		if n > 0 {
			moved()
			if _, err := d.to.Write(buffer[:n]); err != nil {
				return permanent(fmt.Errorf("write: %w", err))
			}
			d.got += int64(n)
			d.received(d.got, total)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
