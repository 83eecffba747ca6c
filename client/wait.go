package client

import (
	"context"
	"net/http"
	"time"
)

// WaitOptions say how a job is waited for.
type WaitOptions struct {
	// First is the wait before the second reading, 2 seconds by default. Waits grow by half each time up to Longest, by
	// default 30 seconds, and by as much as the account's requests a minute ask for.
	First, Longest time.Duration
	// OnRead, when set, is told the status that each reading gives.
	OnRead func(Status)
}

func (w WaitOptions) orDefaults() WaitOptions {
	if w.First <= 0 {
		w.First = 2 * time.Second
	}
	if w.Longest <= 0 {
		w.Longest = 30 * time.Second
	}
	if w.OnRead == nil {
		w.OnRead = func(Status) {}
	}
	return w
}

// wait reads a job until it has ended. A job that was started just now is not read at once.
func wait(ctx context.Context, id string, w WaitOptions, justStarted bool, read func() (Status, http.Header, error)) error {
	w = w.orDefaults()
	pause, apart := w.First, time.Duration(0)
	for first := true; ; first = false {
		if !first || justStarted {
			if err := sleep(ctx, max(pause, apart)); err != nil {
				return &UnfinishedError{JobID: id, Err: err}
			}
		}
		status, header, err := read()
		switch {
		case CodeOf(err) == CodeNotFound, CodeOf(err) == CodeUnknownJob:
			return err // there is no such job, or no longer
		case err != nil:
			return &UnfinishedError{JobID: id, Err: err}
		}
		w.OnRead(status)
		if status.Ended() {
			return nil
		}
		if !first {
			pause = min(pause+pause/2, w.Longest)
		}
		apart = readRate(header).spacing()
	}
}

func (c *Client) waitCheck(ctx context.Context, id string, detail bool, w WaitOptions, justStarted bool) (*CheckJob, error) {
	var job *CheckJob
	err := wait(ctx, id, w, justStarted, func() (Status, http.Header, error) {
		got, header, err := c.getCheck(ctx, id, detail)
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
