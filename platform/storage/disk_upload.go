package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"
)

// ServeHTTP takes the one PUT of a ticket. Everything that can refuse it without its body does so before a byte of the
// body is read, which also keeps a client that sent Expect: 100-continue from sending it.
func (d *disk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	etag, err := d.receive(r.Context(), w, r)
	d.allowAnswer(w)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusOK)
}

// receive stores the body of an admitted PUT and gives its entity tag.
func (d *disk) receive(ctx context.Context, w http.ResponseWriter, r *http.Request) (etag string, err error) {
	body, err := newTimedBody(w, r.Body, d.cfg.StallTimeout, d.cfg.UploadTimeout)
	if err != nil {
		return "", err
	}
	if r.Method != http.MethodPut {
		return "", errMethod
	}
	key := strings.TrimPrefix(r.URL.Path, UploadPath)
	ticket, err := d.signer.read(key, r.URL.RawQuery, time.Now())
	if err != nil {
		return "", err
	}
	if err := admit(r, ticket); err != nil {
		return "", err
	}
	sum := sha256.New()
	err = d.within(func(root *os.Root) error {
		return d.create(ctx, root, ticket, body, sum)
	})
	return `"` + hex.EncodeToString(sum.Sum(nil)) + `"`, err
}

// admit compares the headers of a PUT with what its ticket was signed for.
func admit(r *http.Request, ticket TicketRequest) error {
	switch {
	case r.ContentLength < 0:
		return errNoLength
	case r.ContentLength != ticket.Size,
		!carries(r, "Content-Type", ticket.ContentType),
		!carries(r, "If-None-Match", onlyIfAbsent):
		return errHeaders
	}
	return nil
}

// carries is true when the request has the header once, with that very value.
func carries(r *http.Request, name, value string) bool {
	values := r.Header.Values(name)
	return len(values) == 1 && values[0] == value
}

// create writes a blob that must not exist yet. The first look spares the transfer; the link in write decides.
func (d *disk) create(ctx context.Context, root *os.Root, ticket TicketRequest, body io.Reader, sum hash.Hash) error {
	switch _, err := root.Stat(blobName(ticket.Key)); {
	case err == nil:
		return errTaken
	case !errors.Is(err, fs.ErrNotExist):
		return unavailable("look for blob", err)
	}
	exact := io.TeeReader(newExactReader(body, ticket.Size), sum)
	err := d.write(ctx, root, ticket.Key, ticket.ContentType, exact, root.Link)
	if errors.Is(err, fs.ErrExist) {
		return errTaken
	}
	return err
}

// timedBody ends an upload in which nothing arrives, and one that arrives too slowly as a whole.
type timedBody struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	end     time.Time
}

// newTimedBody fails when w hides the connection, since uploads without deadlines would pile up. The first deadline
// also covers what the server itself discards of a refused body.
func newTimedBody(w http.ResponseWriter, body io.Reader, stall, whole time.Duration) (*timedBody, error) {
	t := &timedBody{body: body, control: http.NewResponseController(w), stall: stall, end: time.Now().Add(whole)}
	if err := t.arm(); err != nil {
		return nil, fmt.Errorf("set deadline of upload: %w", err)
	}
	return t, nil
}

func (t *timedBody) arm() error {
	next := time.Now().Add(t.stall)
	if next.After(t.end) {
		next = t.end
	}
	return t.control.SetReadDeadline(next)
}

// Read implements io.Reader.
func (t *timedBody) Read(p []byte) (int, error) {
	if err := t.arm(); err != nil {
		return 0, err
	}
	return t.body.Read(p)
}

// allowAnswer gives the answer its own time: the server's write deadline, counted from the start of the request, may
// have passed during a long upload. A writer without deadlines has none to move.
func (d *disk) allowAnswer(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(d.cfg.StallTimeout))
}
