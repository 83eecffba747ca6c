package client

import (
	"context"
	"net/http"
)

// OptimizeOptions are the options of an optimization; nil stands for all defaults.
type OptimizeOptions struct {
	// Seconds, IdempotencyKey and OnUpload are as in [CheckOptions].
	Seconds        float64
	IdempotencyKey string
	OnUpload       func(sent, total int64)
	// CallbackURL is told by a webhook how the optimization ended: a public https address. See [Webhooks].
	CallbackURL string
	// Wait says how Optimize waits.
	Wait WaitOptions
}

// Optimize optimizes an image or a video and waits for the end of it. [Client.Download] gets the file then. A job that fails
// is a [*JobError].
func (c *Client) Optimize(ctx context.Context, src Source, options *OptimizeOptions) (*Optimization, error) {
	if options == nil {
		options = &OptimizeOptions{}
	}
	job, err := c.StartOptimization(ctx, src, options)
	if err != nil {
		return nil, err
	}
	return c.waitOptimization(ctx, job.ID, options.Wait, true)
}

// StartOptimization starts an optimization, to wait for with [Client.WaitOptimization] or a webhook.
func (c *Client) StartOptimization(ctx context.Context, src Source, options *OptimizeOptions) (*Optimization, error) {
	if options == nil {
		options = &OptimizeOptions{}
	}
	start := starting{path: "/optimize", seconds: options.Seconds, key: options.IdempotencyKey, sent: options.OnUpload}
	if options.CallbackURL != "" {
		start.more = map[string]any{"callback_url": options.CallbackURL}
	}
	var job Optimization
	if err := c.start(ctx, src, start, &job); err != nil {
		return nil, err
	}
	return &job, nil
}

// GetOptimization reads how an optimization stands. Of a failed one it gives no error: look at its Status.
func (c *Client) GetOptimization(ctx context.Context, id string) (*Optimization, error) {
	job, _, err := c.getOptimization(ctx, id)
	return job, err
}

func (c *Client) getOptimization(ctx context.Context, id string) (*Optimization, http.Header, error) {
	path, err := jobPath("/optimize/", id)
	if err != nil {
		return nil, nil, err
	}
	var job Optimization
	header, err := c.do(ctx, call{method: http.MethodGet, path: path, time: readTime}, &job)
	if err != nil {
		return nil, nil, err
	}
	if job.Error != nil {
		job.Error.JobID = id
	}
	return &job, header, nil
}

// WaitOptimization waits until an optimization has ended. A failed one is given with a [*JobError]; when the waiting ends
// first, the error is an [*UnfinishedError].
func (c *Client) WaitOptimization(ctx context.Context, id string, options *WaitOptions) (*Optimization, error) {
	if options == nil {
		options = &WaitOptions{}
	}
	return c.waitOptimization(ctx, id, *options, false)
}

func (c *Client) waitOptimization(ctx context.Context, id string, w WaitOptions, justStarted bool) (*Optimization, error) {
	var job *Optimization
	err := wait(ctx, id, w, justStarted, func() (Status, http.Header, error) {
		got, header, err := c.getOptimization(ctx, id)
		if err != nil {
			return "", nil, err
		}
		job = got
		return job.Status, header, nil
	})
	if err == nil && job.Error != nil {
		err = job.Error
	}
	return job, err
}
