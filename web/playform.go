package web

import (
	"bufio"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"veracity/media"
	"veracity/platform/fault"
)

// Bounds of the playground's form. Its file may take minutes, as long as it keeps coming.
const (
	maxPlay     = media.MaxVideoBytes + maxForm
	playTime    = 10 * time.Minute
	playIdle    = 30 * time.Second
	maxPlayText = 4 << 10
	// maxPlayParts is how many fields the form may have: it has five.
	maxPlayParts = 8
	// maxDrain and drainTime bound what is read of a file that has been refused, so that the browser gets to the answer.
	maxDrain  = 64 << 20
	drainTime = 15 * time.Second
)

// playInput is what a person asked of the playground. The form's fields come before its file, which is read as it comes.
type playInput struct {
	id              uuid.UUID
	kind, url, name string
	seconds         string
	contentType     string
	// file is nil where none was chosen. arrived is asked once all of it is here, and may refuse it still.
	file    *bufio.Reader
	arrived func() error

	body *steadyBody
}

// readPlay reads the form up to its file. What was understood is given beside a refusal too, so that the form can be
// shown again. Refusal: invalid_input.
func readPlay(w http.ResponseWriter, r *http.Request, arrived func() error) (*playInput, error) {
	in := &playInput{arrived: arrived}
	in.body = &steadyBody{
		Reader: http.MaxBytesReader(w, r.Body, maxPlay), Closer: r.Body,
		control: http.NewResponseController(w), end: time.Now().Add(playTime),
	}
	r.Body = in.body
	form, err := r.MultipartReader()
	if err != nil {
		return in, fault.Wrap(err, fault.InvalidInput, "The form could not be read. Load the page again and send it once more.")
	}
	if err := in.read(form); err != nil {
		return in, err
	}
	err = in.check()
	return in, err
}

// read takes in the fields, up to the file or the end.
func (in *playInput) read(form *multipart.Reader) error {
	for range maxPlayParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return notWhole(err)
		}
		if part.FormName() == "file" && part.FileName() != "" {
			in.name, in.contentType = part.FileName(), part.Header.Get("Content-Type")
			in.file = bufio.NewReaderSize(&onlyFile{part, form, in.arrived}, media.GuessBytes)
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxPlayText+1))
		if err != nil {
			return notWhole(err)
		}
		if len(text) > maxPlayText {
			return fault.New(fault.InvalidInput, "A field of the form is too long.")
		}
		in.set(part.FormName(), strings.TrimSpace(string(text)))
	}
	return fault.New(fault.InvalidInput, "The form has too many fields. Load the page again and send it once more.")
}

func (in *playInput) set(field, value string) {
	switch field {
	case "id":
		if id, err := uuid.Parse(value); err == nil && len(value) == 36 {
			in.id = id
		}
	case "kind":
		in.kind = value
	case "seconds":
		in.seconds = value
	case "url":
		in.url = value
	}
}

// check refuses a form that does not name one file.
func (in *playInput) check() error {
	switch {
	case in.id == uuid.Nil:
		return fault.New(fault.InvalidInput, "The form is incomplete. Load the page again and send it once more.")
	case in.file == nil && in.url == "":
		return fault.New(fault.InvalidInput, "Choose a file, or give the URL of one.")
	case in.file != nil && in.url != "":
		return fault.New(fault.InvalidInput, "Choose a file or give a URL, not both.")
	}
	return nil
}

// source names the file for the act. Nobody has to say what kind a file of one's own is: its first bytes do.
func (in *playInput) source() (media.Source, error) {
	var head []byte
	if in.file != nil {
		var err error
		if head, err = in.file.Peek(media.GuessBytes); err != nil && !errors.Is(err, io.EOF) {
			return media.Source{}, err
		}
	}
	kind, ok := media.Kind(in.kind)
	if !ok {
		kind, ok = media.Guess(head, in.contentType, in.path())
	}
	if !ok {
		kind = "image" // the image's check says what is wrong with it
	}
	src := media.FromURL(kind, in.url)
	if in.file != nil {
		src = media.FromFile(kind, in.file)
	}
	// A length is only ever a help: what is no number counts as none.
	if seconds, err := strconv.ParseFloat(in.seconds, 64); err == nil {
		return src.WithSeconds(seconds)
	}
	return src, nil
}

// path is the file's name, or the path of the URL.
func (in *playInput) path() string {
	if in.file != nil {
		return in.name
	}
	if u, err := url.Parse(in.url); err == nil {
		return u.Path
	}
	return ""
}

// shown is what the run is called: a URL goes without its query, which may hold a secret.
func (in *playInput) shown() string {
	if in.file != nil {
		return in.name
	}
	u, err := url.Parse(in.url)
	if err != nil || u.Host == "" {
		return "a URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// drain reads on a while, so that a browser that is still sending sees the answer and not a broken connection.
func (in *playInput) drain() {
	in.body.end = time.Now().Add(drainTime)
	_, _ = io.CopyN(io.Discard, in.body, maxDrain) // whatever ends it, the answer follows
}

// onlyFile is the last part of the form. Its end is believed once the form has ended too.
type onlyFile struct {
	part    *multipart.Part
	form    *multipart.Reader
	arrived func() error
}

func (f *onlyFile) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, notWhole(err)
	}
	switch _, err = f.form.NextPart(); {
	case errors.Is(err, io.EOF):
		if err := f.arrived(); err != nil {
			return n, err
		}
		return n, io.EOF
	case err != nil:
		return n, notWhole(err)
	}
	return n, fault.New(fault.InvalidInput, "Send one file at a time.")
}

// notWhole is why a form broke off.
func notWhole(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return fault.Wrap(err, fault.VideoTooLarge, "A file may have up to %d bytes.", media.MaxVideoBytes)
	}
	return fault.Wrap(err, fault.InvalidInput, "The file did not arrive whole. Choose it again and send it once more.")
}

// steadyBody is a body that may take long, as long as it keeps coming: every read has playIdle, and all together end at
// end.
type steadyBody struct {
	io.Reader
	io.Closer
	control *http.ResponseController
	end     time.Time
	set     time.Time
}

func (b *steadyBody) Read(p []byte) (int, error) {
	if now := time.Now(); now.Sub(b.set) > time.Second {
		b.set = now
		limit := now.Add(playIdle)
		if limit.After(b.end) {
			limit = b.end
		}
		// A server without deadlines (a test recorder) has nothing to bound.
		_ = b.control.SetReadDeadline(limit)
	}
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		// net/http goes on reading to notice a visitor who leaves, and would take the deadline's end for that.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
