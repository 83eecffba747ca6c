package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	headSize = 512
	headMark = "veracity blob 1\n"
)

// errDamaged means that a file in the objects folder was not written by this package.
var errDamaged = errors.New("damaged blob file")

// blobHead is the first 512 bytes of a blob's file: a mark, the content type, padding. Its fixed length lets a list
// tell a blob's size without opening the file, and `tail -c +513` gives the blob itself.
func blobHead(contentType string) []byte {
	head := bytes.Repeat([]byte{' '}, headSize)
	head[headSize-1] = '\n'
	copy(head, headMark+contentType)
	return head
}

func parseHead(head []byte) (contentType string, err error) {
	rest, ok := strings.CutPrefix(string(head), headMark)
	if !ok {
		return "", errDamaged
	}
	return strings.TrimSpace(rest), nil
}

// blobName is where the blob of a checked key lies in the store's folder.
func blobName(key string) string { return objectsDir + "/" + key + blobSuffix }

// blobKey is the reverse of blobName for a path below the objects folder.
func blobKey(name string) (string, bool) {
	return strings.CutSuffix(strings.TrimPrefix(name, objectsDir+"/"), blobSuffix)
}

// blobReader reads a blob past its head.
type blobReader struct {
	file *os.File
	// cause is why reading has to end early, nil while it does not.
	cause func() error
}

func openBlob(ctx context.Context, root *os.Root, name string) (*blobReader, Info, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, Info{}, err
	}
	info, err := readInfo(file)
	if err != nil {
		return nil, Info{}, errors.Join(err, file.Close())
	}
	return &blobReader{file: file, cause: ctx.Err}, info, nil
}

// readInfo leaves file at the first byte of the blob.
func readInfo(file *os.File) (Info, error) {
	stat, err := file.Stat()
	if err != nil {
		return Info{}, err
	}
	head := make([]byte, headSize)
	_, err = io.ReadFull(file, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return Info{}, errDamaged
	}
	if err != nil {
		return Info{}, err
	}
	contentType, err := parseHead(head)
	if err != nil {
		return Info{}, err
	}
	return Info{Entry: fileEntry(stat), ContentType: contentType}, nil
}

// fileEntry describes a blob's file, all but its key.
func fileEntry(stat fs.FileInfo) Entry {
	return Entry{Size: stat.Size() - headSize, Modified: stat.ModTime()}
}

// Read implements io.Reader.
func (b *blobReader) Read(p []byte) (int, error) {
	if err := b.cause(); err != nil {
		return 0, err
	}
	n, err := b.file.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unavailable("read blob", err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *blobReader) Close() error {
	if err := b.file.Close(); err != nil {
		return fmt.Errorf("close blob: %w", err)
	}
	return nil
}

// pruneDirs removes the folders that a deleted blob leaves empty, up to the objects folder. It stops at the first one
// that is in use.
func pruneDirs(root *os.Root, name string) {
	for dir := path.Dir(name); dir != objectsDir; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			return
		}
	}
}
