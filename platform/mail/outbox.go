package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxKept is how many messages an outbox keeps; the oldest go first.
const maxKept = 1000

// ErrNoMessage is a name that no message of the outbox has.
var ErrNoMessage = errors.New("the outbox has no such message")

// Outbox lays each message into a folder as an .eml file that only this user may read. It is for development: nothing
// leaves the machine.
type Outbox struct {
	dir  string
	from *mail.Address
}

// OpenOutbox makes the folder if need be. An empty from is a sender of this machine.
func OpenOutbox(dir, from string) (*Outbox, error) {
	if from == "" {
		from = outboxFrom
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("VERACITY_MAIL_FROM is %q: want an address, or Name <address>", from)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("find the outbox: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the outbox: %w", err)
	}
	return &Outbox{dir: dir, from: sender}, nil
}

// Dir is the folder.
func (o *Outbox) Dir() string { return o.dir }

const (
	suffix = ".eml"
	// stamp orders names by time; the dot before the fraction is the only one that Go's layouts read.
	stamp = "20060102T150405.000000000Z"
	draft = ".draft-*"
)

var nameForm = regexp.MustCompile(`^\d{8}T\d{6}\.\d{9}Z-[0-9a-f]{12}\.eml$`)

// Send implements Sender.
func (o *Outbox) Send(_ context.Context, m Message) error {
	msg, err := compose(o.from, m)
	if err != nil {
		return fmt.Errorf("write mail: %w: %w", err, ErrPermanent)
	}
	var text bytes.Buffer
	if _, err := msg.WriteTo(&text); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	if err := o.place(text.Bytes()); err != nil {
		return err
	}
	return o.prune()
}

// place writes a file under a name that nobody reads and renames it once it is whole.
func (o *Outbox) place(text []byte) error {
	var salt [6]byte
	_, _ = rand.Read(salt[:]) // never fails
	name := time.Now().UTC().Format(stamp) + "-" + hex.EncodeToString(salt[:]) + suffix
	f, err := os.CreateTemp(o.dir, draft) // with mode 0600
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(o.dir, name))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write mail: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// names are the files of messages, the newest first.
func (o *Outbox) names() ([]string, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return nil, fmt.Errorf("list outbox: %w", err)
	}
	var names []string
	for _, entry := range slices.Backward(entries) { // ReadDir sorts by name, and names begin with the time
		if entry.Type().IsRegular() && nameForm.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func (o *Outbox) prune() error {
	names, err := o.names()
	if err != nil {
		return err
	}
	for _, name := range names[min(len(names), maxKept):] {
		if err := os.Remove(filepath.Join(o.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget old mail: %w", err)
		}
	}
	return nil
}

// List reads the newest messages, at most limit.
func (o *Outbox) List(limit int) ([]Received, error) {
	names, err := o.names()
	if err != nil {
		return nil, err
	}
	var list []Received
	for _, name := range names[:min(len(names), limit)] {
		m, err := o.Read(name)
		if errors.Is(err, ErrNoMessage) {
			continue // pruned meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// Read reads one message by the name that List gives. Any other name is [ErrNoMessage].
func (o *Outbox) Read(name string) (Received, error) {
	if !nameForm.MatchString(name) {
		return Received{}, ErrNoMessage
	}
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return Received{}, ErrNoMessage
	}
	if err != nil {
		return Received{}, fmt.Errorf("read mail: %w", err)
	}
	m, err := parse(text)
	if err != nil {
		return Received{}, fmt.Errorf("read mail %s: %w", name, err)
	}
	m.Name = name
	m.At, _ = time.Parse(stamp, name[:strings.LastIndex(name, "-")]) // the form was checked above
	return m, nil
}

// check tries to write into the folder.
func (o *Outbox) check() error {
	f, err := os.CreateTemp(o.dir, draft)
	if err != nil {
		return fmt.Errorf("write to the outbox: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
