package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a call that the service refused.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is what to branch on; "" where a proxy answered instead of the service.
	Code Code
	// Message is for people and may change.
	Message string
	// Detail is there with some codes; [Error.Quota], [Error.Pixels] and [Error.Length] read the shapes that are stable.
	Detail json.RawMessage
	// RetryAfter is how long the service asks to wait, 0 where it asks for nothing.
	RetryAfter time.Duration
	// RequestID names the request to the people who run the service.
	RequestID string
	// Call is the refused call, as in "POST /api/v1/audit".
	Call string
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "veracity: %s: %d", e.Call, e.Status)
	if e.Code != "" {
		b.WriteString(" " + string(e.Code))
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	return b.String()
}

// QuotaDetail says by how much the credits fall short of a call.
type QuotaDetail struct {
	// Required is what the call needs, Available what is left after jobs under way, in credits.
	Required  int64 `json:"required"`
	Available int64 `json:"available"`
	// ResetsAt is when the next credits come.
	ResetsAt time.Time `json:"resets_at"`
}

// PixelsDetail says how large a refused image is. Limit is a number of pixels.
type PixelsDetail struct {
	Width  int   `json:"width"`
	Height int   `json:"height"`
	Limit  int64 `json:"limit"`
}

// LengthDetail says how long a refused clip would be, in seconds.
type LengthDetail struct {
	Seconds    float64 `json:"seconds"`
	MaxSeconds float64 `json:"max_seconds"`
}

// Quota is the detail of quota_exceeded; ok is false for other errors.
func (e *Error) Quota() (detail QuotaDetail, ok bool) {
	ok = e.detail(CodeQuotaExceeded, &detail)
	return detail, ok
}

// Pixels is the detail of too_many_pixels; ok is false for other errors.
func (e *Error) Pixels() (detail PixelsDetail, ok bool) {
	ok = e.detail(CodeTooManyPixels, &detail)
	return detail, ok
}

// Length is the detail of video_too_long; ok is false for other errors.
func (e *Error) Length() (detail LengthDetail, ok bool) {
	ok = e.detail(CodeVideoTooLong, &detail)
	return detail, ok
}

func (e *Error) detail(of Code, into any) bool {
	return e.Code == of && len(e.Detail) > 0 && json.Unmarshal(e.Detail, into) == nil
}

// JobError is why a job failed. Its credits have been given back.
type JobError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// JobID is the job's.
	JobID string `json:"-"`
}

// Error implements error.
func (e *JobError) Error() string {
	return fmt.Sprintf("veracity: job %s failed: %s: %s", e.JobID, e.Code, e.Message)
}

// CodeOf is the code of a refused call or a failed job, "" for any other error.
func CodeOf(err error) Code {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	var failed *JobError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return ""
}

// StorageError is an upload that storage refused. Storage does not speak the service's codes.
type StorageError struct {
	// Status is the HTTP status.
	Status int
	// Code and Message are storage's own, "" where it gave none.
	Code    string
	Message string
}

// Error implements error.
func (e *StorageError) Error() string {
	text := fmt.Sprintf("veracity: storage answered %d", e.Status)
	if e.Code != "" || e.Message != "" {
		return text + " " + strings.TrimSpace(e.Code+": "+e.Message)
	}
	return text + " " + http.StatusText(e.Status)
}

// FileError is a file of this machine that could not be read while it was sent.
type FileError struct {
	Name string
	Err  error
}

// Error implements error.
func (e *FileError) Error() string { return fmt.Sprintf("veracity: read %s: %v", e.Name, e.Err) }

// Unwrap gives why.
func (e *FileError) Unwrap() error { return e.Err }

// UnfinishedError is a job that was begun and whose end is not known, because the waiting for it ended first. The job goes
// on at the service; wait for it again by its id.
type UnfinishedError struct {
	JobID string
	Err   error
}

// Error implements error.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("veracity: wait for job %s: %v", e.JobID, e.Err)
}

// Unwrap gives what ended the waiting.
func (e *UnfinishedError) Unwrap() error { return e.Err }
