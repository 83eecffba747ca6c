package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// outputFile is where the server and initdb write.
	outputFile = "server.log"
	// maxOutput is the size in bytes above which a start puts the log aside, over the one put aside before.
	maxOutput = 4 << 20
	// maxQuote is how much of the log's end an error carries, in bytes.
	maxQuote = 2 << 10
)

// output is the open log, and where this start began in it.
type output struct {
	file  *os.File
	start int64
}

// openOutput opens the log in dir. The server's user needs no right to it, because it inherits the open file.
func openOutput(dir string) (*output, error) {
	path := filepath.Join(dir, outputFile)
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxOutput {
		err = os.Rename(path, path+".1")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("rotate server log: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open server log: %w", err)
	}
	if info, err = file.Stat(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("look at server log: %w", err)
	}
	return &output{file: file, start: info.Size()}, nil
}

func (o *output) close() { _ = o.file.Close() }

// tail is the end of what was written since this start began.
func (o *output) tail() string {
	info, err := o.file.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size()-o.start, maxQuote))
	n, _ := o.file.ReadAt(text, info.Size()-int64(len(text)))
	return strings.TrimSpace(string(text[:n]))
}

// quote is the tail as the end of an error message.
func (o *output) quote() string {
	return fmt.Sprintf("; the end of %s:\n%s", o.file.Name(), o.tail())
}
