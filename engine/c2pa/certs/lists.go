package certs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Files of a folder of trust lists, each optional.
const (
	AnchorsFile      = "c2pa-trust-list.pem"
	StampAnchorsFile = "c2pa-tsa-trust-list.pem"
	InterimFile      = "itl-anchors.pem"
	AllowedFile      = "itl-allowed.pem"
	UsagesFile       = "store.cfg"
	// LocalSuffix ends the names of an operator's own anchors.
	LocalSuffix = ".local.pem"
)

// Names of lists, as Trust says them.
const (
	ListC2PA    = "c2pa"
	ListLocal   = "local"
	ListInterim = "itl"
)

// Bounds of a folder. The lists of 2026 have some hundred kilobytes.
const (
	maxFile  = 8 << 20
	maxLocal = 64
)

var errFolder = errors.New("invalid trust list")

// Lists are whom to trust. The zero Lists and a nil one trust nobody. They are read only once made, so many may ask them
// at a time.
type Lists struct {
	// Updated is when the newest file of the folder was written.
	Updated time.Time
	// Anchors and StampAnchors are how many anchors there are for claims and for time-stamps, Allowed how many signers
	// are allowed by name.
	Anchors, StampAnchors, Allowed int
	// Files are those that were read, in the order of their names.
	Files []File

	anchors    map[string][]anchor // by their subject
	allowed    map[[sha256.Size]byte]struct{}
	configured map[string]struct{} // extended key usages of store.cfg
}

// File is one file of trust lists.
type File struct {
	Name    string
	Written time.Time
	// Entries are the certificates, hashes or usages it holds, Skipped those that cannot be read.
	Entries, Skipped int
}

// anchor is a certificate that ends a chain.
type anchor struct {
	Certificate
	list           string
	claims, stamps bool
}

// Load reads a folder of trust lists. A folder that is not there or empty gives Lists that trust nobody; a file that
// cannot be read is an error that names it.
func Load(dir string) (*Lists, error) {
	if dir == "" {
		return &Lists{}, nil
	}
	return Read(os.DirFS(dir))
}

// Read is Load of a file system.
func Read(folder fs.FS) (*Lists, error) {
	l := &Lists{
		anchors: map[string][]anchor{}, allowed: map[[sha256.Size]byte]struct{}{}, configured: map[string]struct{}{},
	}
	entries, err := fs.ReadDir(folder, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the folder of trust lists: %w", err)
	}
	local := 0
	for _, e := range entries {
		read := l.reader(e.Name())
		if read == nil {
			continue
		}
		if strings.HasSuffix(e.Name(), LocalSuffix) {
			if local++; local > maxLocal {
				return nil, fmt.Errorf("%w: more than %d files *%s", errFolder, maxLocal, LocalSuffix)
			}
		}
		if err := l.readFile(folder, e.Name(), read); err != nil {
			return nil, fmt.Errorf("read trust list %s: %w", e.Name(), err)
		}
	}
	l.count()
	return l, nil
}

// reader is how a file of that name is read, nil for files that are no trust lists.
func (l *Lists) reader(name string) func(*File, []byte) error {
	switch {
	case name == AnchorsFile:
		return func(f *File, data []byte) error {
			return l.addAnchors(f, data, func(c Certificate) anchor { return anchor{c, ListC2PA, true, false} })
		}
	case name == StampAnchorsFile:
		return func(f *File, data []byte) error {
			return l.addAnchors(f, data, func(c Certificate) anchor { return anchor{c, ListC2PA, false, true} })
		}
	case name == InterimFile:
		return func(f *File, data []byte) error { return l.addAnchors(f, data, mixed(ListInterim)) }
	case strings.HasSuffix(name, LocalSuffix):
		return func(f *File, data []byte) error { return l.addAnchors(f, data, mixed(ListLocal)) }
	case name == AllowedFile:
		return l.addAllowed
	case name == UsagesFile:
		return l.addUsages
	}
	return nil
}

// mixed sorts the anchors of lists that have them for claims and for time-stamps in one: by their extended key usages
// where they have any, else they are for both.
func mixed(list string) func(Certificate) anchor {
	return func(c Certificate) anchor {
		usages := c.usages()
		if len(usages) == 0 {
			return anchor{c, list, true, true}
		}
		stamps := c.hasUsage(usageTimeStamps)
		return anchor{c, list, !stamps || len(usages) > 1, stamps}
	}
}

func (l *Lists) readFile(folder fs.FS, name string, read func(*File, []byte) error) error {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return fmt.Errorf("%w: no file of at most %d bytes", errFolder, maxFile)
	}
	opened, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	data, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%w: no file of at most %d bytes", errFolder, maxFile)
	}
	f := File{Name: name, Written: info.ModTime()}
	if err := read(&f, data); err != nil {
		return err
	}
	if f.Written.After(l.Updated) {
		l.Updated = f.Written
	}
	l.Files = append(l.Files, f)
	return nil
}

func (l *Lists) count() {
	for _, same := range l.anchors {
		for _, a := range same {
			if a.claims {
				l.Anchors++
			}
			if a.stamps {
				l.StampAnchors++
			}
		}
	}
	l.Allowed = len(l.allowed)
}

// allows says whether the certificate is a signer that is allowed by name.
func (l *Lists) allows(c Certificate) bool {
	if l == nil {
		return false
	}
	_, ok := l.allowed[sha256.Sum256(c.Raw)]
	return ok
}
