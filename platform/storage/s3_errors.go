package storage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// translate turns an error of the SDK into one of this package's. Its text is kept for the log, its types are not.
// ctx is the caller's: what it cancelled is no fault of the store, while a deadline that passed is also the store's.
func translate(ctx context.Context, act string, err error) error {
	if err == nil {
		return nil
	}
	ctxErr := ctx.Err()
	switch {
	case errors.Is(ctxErr, context.Canceled):
		return fmt.Errorf("%s: %w", act, ctxErr)
	case ctxErr != nil:
		return unavailable(act, ctxErr)
	}
	status, code := answerOf(err)
	switch {
	case code == "NoSuchKey", code == "NotFound":
		return fmt.Errorf("%s: %w", act, ErrNotFound)
	case storeFault(status):
		return fmt.Errorf("%s: %w: %v", act, ErrUnavailable, err) //nolint:errorlint // the SDK's types end here
	default:
		return fmt.Errorf("%s: %v", act, err) //nolint:errorlint // the SDK's types end here
	}
}

// answerOf is the HTTP status and S3's error code, 0 and "" where no answer came.
func answerOf(err error) (status int, code string) {
	var answered interface{ HTTPStatusCode() int }
	if errors.As(err, &answered) {
		status = answered.HTTPStatusCode()
	}
	var named interface{ ErrorCode() string }
	if errors.As(err, &named) {
		code = named.ErrorCode()
	}
	return status, code
}

// storeFault is true for what an operator or time mends: no answer at all or no whole one, refused credentials, a
// bucket or an unfinished upload that is missing, a bucket elsewhere, too many requests, server errors.
func storeFault(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return status < http.StatusBadRequest || status >= http.StatusInternalServerError
}
