package serve

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// handoff is what the first stage of the start gives to the locked one: settings through a pipe, never through the
// environment or the command line, and of the token its sum alone.
type handoff struct {
	Config   Config `json:"config"`
	TokenSum []byte `json:"token_sum,omitempty"`
}

func newHandoff(cfg Config) handoff {
	h := handoff{Config: cfg}
	if cfg.Token != "" {
		sum := sha256.Sum256([]byte(cfg.Token))
		h.TokenSum = sum[:]
	}
	return h
}

// maxHandoff is what every pipe takes without a reader (pipe(7)).
const maxHandoff = 60 << 10

// pack writes the handoff into a pipe and answers its end for reading.
func (h handoff) pack() (*os.File, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("hand settings over: %w", err)
	}
	if len(text) > maxHandoff {
		return nil, fmt.Errorf("hand settings over: %d bytes are more than %d", len(text), maxHandoff)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("hand settings over: %w", err)
	}
	_, err = writer.Write(text)
	if err := errors.Join(err, writer.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("hand settings over: %w", err), reader.Close())
	}
	return reader, nil
}

// descriptors are the numbers of the listener and the pipe, as one word for the command line.
func descriptors(listener, pipe uintptr) string {
	return fmt.Sprintf("%d,%d", listener, pipe)
}

// unpack takes over what the first stage left under the given descriptors.
func unpack(word string) (handoff, net.Listener, error) {
	first, second, _ := strings.Cut(word, ",")
	listenerFD, err1 := strconv.ParseUint(first, 10, 31)
	pipeFD, err2 := strconv.ParseUint(second, 10, 31)
	if err := errors.Join(err1, err2); err != nil {
		return handoff{}, nil, fmt.Errorf("take settings over: descriptors %q: %w", word, err)
	}
	pipe := os.NewFile(uintptr(pipeFD), "handoff")
	text, err := io.ReadAll(io.LimitReader(pipe, maxHandoff))
	if err := errors.Join(err, pipe.Close()); err != nil {
		return handoff{}, nil, fmt.Errorf("take settings over: %w", err)
	}
	var given handoff
	if err := json.Unmarshal(text, &given); err != nil {
		return handoff{}, nil, fmt.Errorf("take settings over: %w", err)
	}
	// The listener works on a copy that programs started later do not inherit.
	file := os.NewFile(uintptr(listenerFD), "listener")
	listener, err := net.FileListener(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return handoff{}, nil, fmt.Errorf("take the listener over: %w", err)
	}
	return given, listener, nil
}
