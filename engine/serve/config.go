package serve

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Config says how an engine process serves. Its JSON form is how the process that supervises an engine hands it over.
type Config struct {
	// Socket is the path of the unix socket to listen on, in a folder that is the owner's alone. Exactly one of Socket and
	// Listen is set.
	Socket string `json:"socket,omitempty"`
	// Listen is the TCP address to listen on, host:port. It speaks plain HTTP: put it on a private network, or behind a
	// TLS proxy that passes Expect: 100-continue through.
	Listen string `json:"listen,omitempty"`
	// Token is the bearer token that callers over TCP must send; needed with Listen. It is never written down.
	Token string `json:"-"`
	// Region, when set, is the one region that callers over TCP must name.
	Region string `json:"region,omitempty"`
	// Scratch is the folder for temporary files, the only one that the engine can write. It is wiped at each start.
	Scratch string `json:"scratch"`
	// Cores is how many checks run at once, Queue how many more wait, QueueWait how long each waits at most.
	Cores     int           `json:"cores"`
	Queue     int           `json:"queue"`
	QueueWait time.Duration `json:"queue_wait"`
	// ReceiveTimeout bounds the arrival of a file once its check is admitted.
	ReceiveTimeout time.Duration `json:"receive_timeout"`
	// CheckTimeout bounds a check. One that does not end StuckGrace after it holds a thread in C code that nothing can
	// interrupt: the engine then lets the others end for at most Drain and ends itself, to be started anew.
	CheckTimeout time.Duration `json:"check_timeout"`
	StuckGrace   time.Duration `json:"stuck_grace"`
	Drain        time.Duration `json:"drain"`
	// MemoryBytes bounds the process's private memory beyond what it has mapped at its start.
	MemoryBytes int64 `json:"memory_bytes"`
	// Strict refuses to serve when a part of the sandbox is missing. Else the engine serves and the log says what is.
	Strict bool `json:"strict,omitempty"`
	// Read are files and folders to be read beside the system's own, such as models. Exec are programs that may be started.
	Read []string `json:"read,omitempty"`
	Exec []string `json:"exec,omitempty"`
	// Env is added to the environment of the locked process, which else holds nothing of its parent's.
	Env []string `json:"env,omitempty"`
	// Lifeline ends the engine when its standard input does, so that it never outlives what supervises it.
	Lifeline bool `json:"lifeline,omitempty"`
}

// Memory that an engine may use: a part for itself and one for each check that runs at once. A decoded image of 25
// megapixels takes about 250 MB.
const (
	baseMemory = 1 << 30
	coreMemory = 512 << 20
)

// DefaultConfig is an engine without an address for a machine of the given number of cores; 0 asks the machine.
func DefaultConfig(cores int) Config {
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	return Config{
		Cores: cores, Queue: 4 * cores, QueueWait: 10 * time.Second,
		ReceiveTimeout: 20 * time.Second, CheckTimeout: 20 * time.Second, StuckGrace: 2 * time.Second,
		Drain: 3 * time.Second, MemoryBytes: baseMemory + int64(cores)*coreMemory,
		Exec: []string{"/usr/bin/ffmpeg", "/usr/bin/ffprobe"},
	}
}

// maxSocketPath is the longest path of a unix socket on Linux and macOS, its final NUL left out.
const maxSocketPath = 103

// Validate names the field that is wrong, its value and what is allowed.
func (c Config) Validate() error {
	if err := c.validateAddress(); err != nil {
		return err
	}
	if !filepath.IsAbs(c.Scratch) || filepath.Clean(c.Scratch) == "/" {
		return fmt.Errorf("engine: Scratch is %q: the absolute path of a folder of its own is needed", c.Scratch)
	}
	if c.Cores < 1 {
		return fmt.Errorf("VERACITY_ENGINE_CORES: Cores is %d: 1 or more is needed", c.Cores)
	}
	if c.Queue < 0 {
		return fmt.Errorf("VERACITY_ENGINE_QUEUE: Queue is %d: 0 or more is needed", c.Queue)
	}
	if c.MemoryBytes < coreMemory {
		return fmt.Errorf("VERACITY_ENGINE_MEMORY: MemoryBytes is %d: %d or more is needed", c.MemoryBytes, coreMemory)
	}
	for name, d := range map[string]time.Duration{
		"QueueWait (VERACITY_ENGINE_QUEUE_WAIT)": c.QueueWait, "ReceiveTimeout": c.ReceiveTimeout, "CheckTimeout (VERACITY_ENGINE_CHECK_TIMEOUT)": c.CheckTimeout,
		"StuckGrace": c.StuckGrace, "Drain": c.Drain,
	} {
		if d <= 0 {
			return fmt.Errorf("engine: %s is %s: a positive duration is needed", name, d)
		}
	}
	for _, path := range append(append([]string{}, c.Read...), c.Exec...) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("engine: Read or Exec holds %q: absolute paths are needed", path)
		}
	}
	for _, entry := range c.Env {
		if name, _, found := strings.Cut(entry, "="); !found || name == "" {
			return fmt.Errorf("engine: Env holds an entry that is not NAME=VALUE")
		}
	}
	return nil
}

func (c Config) validateAddress() error {
	if (c.Socket == "") == (c.Listen == "") {
		return fmt.Errorf("engine: Socket is %q and Listen is %q: exactly one is needed", c.Socket, c.Listen)
	}
	if c.Socket != "" {
		if !filepath.IsAbs(c.Socket) || len(c.Socket) > maxSocketPath {
			return fmt.Errorf("engine: Socket is %q: an absolute path of at most %d bytes is needed", c.Socket, maxSocketPath)
		}
		return nil
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("engine: Listen is %q: HOST:PORT is needed", c.Listen)
	}
	if c.Token == "" {
		return fmt.Errorf("engine: Token (VERACITY_ENGINE_TOKEN) is empty: an engine on TCP needs one")
	}
	return nil
}
