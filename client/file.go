package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File is a file of this machine on its way to the service.
type File struct {
	// Name is for messages.
	Name string
	// Media and ContentType are what the file is. [Open] and [NewFile] guess them, from the content before the name; set
	// both where the guess is wrong or missing.
	Media       Media
	ContentType string
	// Size is in bytes.
	Size int64

	content io.ReaderAt
	closer  io.Closer
}

// Open opens a file. Close it when its check or optimization has been started.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("veracity: %w", err)
	}
	file, err := look(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

func look(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("veracity: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("veracity: %s is no regular file", f.Name())
	}
	file, err := NewFile(filepath.Base(f.Name()), f, info.Size())
	if err != nil {
		return nil, err
	}
	file.closer = f
	return file, nil
}

// NewFile is a file of size bytes, read from content: a *bytes.Reader, say. Reads begin anew at each attempt, so content
// must stay as it is until the call that sends it has returned.
func NewFile(name string, content io.ReaderAt, size int64) (*File, error) {
	if size <= 0 {
		return nil, fmt.Errorf("veracity: %s is empty", name)
	}
	file := &File{Name: name, Size: size, content: content}
	head := make([]byte, min(size, sniffBytes))
	if _, err := content.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("veracity: read %s: %w", name, err)
	}
	file.ContentType, file.Media = guess(head, name)
	return file, nil
}

// Close closes a file that [Open] opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

func (f *File) reader() io.Reader { return io.NewSectionReader(f.content, 0, f.Size) }

func (f *File) check() error {
	if f.Media == "" || f.ContentType == "" {
		return fmt.Errorf("veracity: cannot tell what %s is: set Media and ContentType of the File", f.Name)
	}
	return nil
}
