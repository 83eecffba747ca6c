package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"veracity/platform/fault"
)

// spoolBlock is how much of a job's file is in memory at once.
const spoolBlock = 256 << 10

// spool writes the body to a new file at path. The body may not stand still for longer than ReceiveStall, nor take beyond
// the end of ctx. The deadline is lifted afterwards, as after receive.
func (s *server) spool(ctx context.Context, w http.ResponseWriter, r *http.Request, path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a job's file: %w", unavailableRoom(orFull(err)))
	}
	err = s.copyBody(ctx, w, r.Body, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return unavailableRoom(err)
	}
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("lift the deadline of a body: %w", err)
	}
	return nil
}

func (s *server) copyBody(ctx context.Context, w http.ResponseWriter, body io.Reader, file io.Writer) error {
	control := http.NewResponseController(w)
	block := make([]byte, spoolBlock)
	for {
		deadline := time.Now().Add(s.cfg.ReceiveStall)
		if end, bounded := ctx.Deadline(); bounded && end.Before(deadline) {
			deadline = end
		}
		if err := control.SetReadDeadline(deadline); err != nil {
			return fmt.Errorf("bound the reading of a body: %w", err)
		}
		n, err := body.Read(block)
		if _, err := file.Write(block[:n]); err != nil {
			return fmt.Errorf("write a job's file: %w", orFull(err))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fault.Wrap(err, fault.EngineUnavailable, "The file did not arrive in time. Try again.").
				WithRetryAfter(retryAfter)
		case err != nil:
			return fault.Wrap(err, fault.EngineUnavailable, "The file was cut off on its way. Try again.").
				WithRetryAfter(retryAfter)
		}
	}
}
