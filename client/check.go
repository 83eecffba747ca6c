package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// CheckOptions are the options of a check; nil stands for all defaults.
type CheckOptions struct {
	// Seconds is the length of a video or voice clip. Credits for it are held; without it those for 3 minutes are, and the
	// real length is charged in the end. A clip that runs past it fails.
	Seconds float64
	// Detail asks for the engine's raw report too.
	Detail bool
	// IdempotencyKey is your own name for this check, 1 to 200 printable ASCII characters. A program that was killed and
	// sends the same check under the same key within 24 hours gets the first one's answer and pays once. By default each
	// check has a random one.
	IdempotencyKey string
	// OnUpload, when set, is told how much of a file has been sent, in bytes, from a goroutine of its own. It begins at 0
	// again when an upload is repeated.
	OnUpload func(sent, total int64)
	// Wait says how Check waits for a video or voice clip.
	Wait WaitOptions
}

// Check checks a file and waits for the end of it. An image is answered at once; a video or voice clip is a job, whose
// failure is a [*JobError].
func (c *Client) Check(ctx context.Context, src Source, options *CheckOptions) (*Check, error) {
	if options == nil {
		options = &CheckOptions{}
	}
	job, err := c.StartCheck(ctx, src, options)
	if err != nil {
		return nil, err
	}
	if !job.Status.Ended() {
		if job, err = c.waitCheck(ctx, job.ID, options.Detail, options.Wait, true); err != nil {
			return nil, err
		}
	}
	return &job.Check, nil
}

// StartCheck starts a check. That of a video or voice clip is a job to wait for with [Client.WaitCheck]; an image is checked
// at once, and gives a job that has succeeded and has no ID.
func (c *Client) StartCheck(ctx context.Context, src Source, options *CheckOptions) (*CheckJob, error) {
	if options == nil {
		options = &CheckOptions{}
	}
	var job CheckJob
	start := starting{
		path: "/audit", query: detailQuery(options.Detail), seconds: options.Seconds, key: options.IdempotencyKey, sent: options.OnUpload,
	}
	if err := c.start(ctx, src, start, &job); err != nil {
		return nil, err
	}
	if job.Status == "" {
		job.Status = Succeeded
	}
	return &job, nil
}

// GetCheck reads how a check of a video or voice clip stands. Of a failed one it gives no error: look at its Status.
func (c *Client) GetCheck(ctx context.Context, id string, options *CheckOptions) (*CheckJob, error) {
	job, _, err := c.getCheck(ctx, id, options != nil && options.Detail)
	return job, err
}

func (c *Client) getCheck(ctx context.Context, id string, detail bool) (*CheckJob, http.Header, error) {
	path, err := jobPath("/audit/", id)
	if err != nil {
		return nil, nil, err
	}
	var job CheckJob
	header, err := c.do(ctx, call{method: http.MethodGet, path: path, query: detailQuery(detail), time: readTime}, &job)
	if err != nil {
		return nil, nil, err
	}
	if job.Error != nil {
		job.Error.JobID = id
	}
	return &job, header, nil
}

func jobPath(under, id string) (string, error) {
	if id == "" || strings.Trim(id, "0123456789abcdefABCDEF-") != "" {
		return "", fmt.Errorf("veracity: %.100q is no id of a job", id)
	}
	return under + id, nil
}

func detailQuery(detail bool) url.Values {
	if detail {
		return url.Values{"detail": {"full"}}
	}
	return nil
}

// WaitCheck waits until a check has ended. A failed one is given with a [*JobError]; when the waiting ends first, the error
// is an [*UnfinishedError].
func (c *Client) WaitCheck(ctx context.Context, id string, options *CheckOptions) (*CheckJob, error) {
	if options == nil {
		options = &CheckOptions{}
	}
	return c.waitCheck(ctx, id, options.Detail, options.Wait, false)
}
