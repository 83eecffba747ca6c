package serve

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"veracity/engine"
	"veracity/engine/model"
)

// Config says how an engine process serves. Its JSON form is how the process that supervises an engine hands it over.
type Config struct {
	// Socket is the path of the unix socket to listen on, in a folder that is the owner's alone. Exactly one of Socket and
	// Listen is set.
	Socket string `json:"socket,omitempty"`
	// Listen is the TCP address to listen on, host:port. It speaks plain HTTP: put it on a private network, or behind a
	// TLS proxy that passes Expect: 100-continue through and holds no part of an answer back.
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
	// Jobs is how many clips and renderings are worked on at once, beside the checks of images and without taking their
	// places. JobQueueWait is how long one waits for its place at most.
	Jobs         int           `json:"jobs"`
	JobQueueWait time.Duration `json:"job_queue_wait"`
	// JobTimeout bounds a job from its admission to the last byte of its answer. One that does not end JobGrace after it
	// was called off gives the engine up, as a check does.
	JobTimeout time.Duration `json:"job_timeout"`
	JobGrace   time.Duration `json:"job_grace"`
	// ReceiveStall is how long a job's file, SendStall how long its output may stand still on its way.
	ReceiveStall time.Duration `json:"receive_stall"`
	SendStall    time.Duration `json:"send_stall"`
	// Heartbeat is how often a running job's answer says something at least, so that both sides notice when the other is
	// gone. Progress is told up to ten times as often.
	Heartbeat time.Duration `json:"heartbeat"`
	// ScratchBytes bounds what all jobs together may reserve of the scratch folder: the file's length for a check, twice
	// that for a rendering.
	ScratchBytes int64 `json:"scratch_bytes"`
	// MemoryBytes bounds the process's private memory beyond what it has mapped at its start.
	MemoryBytes int64 `json:"memory_bytes"`
	// Strict refuses to serve when a part of the sandbox is missing. Else the engine serves and the log says what is.
	Strict bool `json:"strict,omitempty"`
	// Read are files and folders to be read beside the system's own, such as models. Exec are programs that may be started.
	Read []string `json:"read,omitempty"`
	Exec []string `json:"exec,omitempty"`
	// Trust is the folder of C2PA trust lists, "" for none. It is read while the engine runs.
	Trust string `json:"trust,omitempty"`
	// Models says which models the learned lanes read with.
	Models Models `json:"models"`
	// Env is added to the environment of the locked process, which else holds nothing of its parent's.
	Env []string `json:"env,omitempty"`
	// Lifeline ends the engine when its standard input does, so that it never outlives what supervises it.
	Lifeline bool `json:"lifeline,omitempty"`
}

// NoModel in place of a folder leaves a lane without a model on purpose.
const NoModel = "off"

// Models says which models the learned lanes read with, and what runs them.
type Models struct {
	// Library is the path of ONNX Runtime's shared library, "" where there is none.
	Library string `json:"library,omitempty"`
	// LibraryNamed says that an operator named it, rather than that it was found where it usually lies: that it cannot be
	// loaded is then no lesser fault than a named model's.
	LibraryNamed bool `json:"library_named,omitempty"`
	// Pixels and Voice are the folders of the lanes' models, "" for the product's own, NoModel for none.
	Pixels string `json:"pixels,omitempty"`
	Voice  string `json:"voice,omitempty"`
}

// readable are the files and folders that loading the models takes.
func (m Models) readable() []string {
	var paths []string
	if m.Library != "" {
		paths = append(paths, m.Library)
	}
	for _, dir := range []string{m.Pixels, m.Voice} {
		if dir != "" && dir != NoModel {
			paths = append(paths, model.Paths(dir)...)
		}
	}
	return paths
}

// Memory that an engine may use: a part for itself, one for each check and one for each job that run at once. A decoded
// image of 25 megapixels takes about 250 MB, a rendering of it about 600 MB. The programs that jobs start have the same
// bound, each for itself.
const (
	baseMemory = 1 << 30
	coreMemory = 512 << 20
	jobMemory  = 640 << 20
)

// DefaultMemory is how much private memory an engine of so many checks and jobs at once may use, in bytes.
func DefaultMemory(cores, jobs int) int64 {
	return baseMemory + int64(cores)*coreMemory + int64(jobs)*jobMemory
}

// DefaultConfig is an engine without an address for a machine of the given number of cores; 0 asks the machine.
func DefaultConfig(cores int) Config {
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	return Config{
		Cores: cores, Queue: 4 * cores, QueueWait: 10 * time.Second,
		ReceiveTimeout: 20 * time.Second, CheckTimeout: 20 * time.Second, StuckGrace: 2 * time.Second,
		Drain: 3 * time.Second,
		Jobs:  cores, JobQueueWait: 30 * time.Second, JobTimeout: 31 * time.Minute, JobGrace: 30 * time.Second,
		ReceiveStall: 30 * time.Second, SendStall: 2 * time.Minute, Heartbeat: 5 * time.Second,
		ScratchBytes: 8 << 30,
		MemoryBytes:  DefaultMemory(cores, cores), Exec: []string{findProgram(ffmpeg), findProgram(ffprobe)},
		Models: Models{Library: model.FindLibrary()},
	}
}

// Programs that an Inspector starts.
const (
	ffmpeg  = "ffmpeg"
	ffprobe = "ffprobe"
)

// findProgram looks for a program where packages put it: Debian's, one's own, Homebrew's. The search path is not asked,
// since what it names may lie where the locked process cannot read. A program that is nowhere is expected in the first
// place, so that its absence is told by that name.
func findProgram(name string) string {
	folders := []string{"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return filepath.Join(folders[0], name)
}

// program is the path of the named program in Exec, "" where there is none.
func (c Config) program(name string) string {
	for _, path := range c.Exec {
		if filepath.Base(path) == name {
			return path
		}
	}
	return ""
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
	if err := c.validateJobs(); err != nil {
		return err
	}
	for name, d := range map[string]time.Duration{
		"QueueWait (VERACITY_ENGINE_QUEUE_WAIT)": c.QueueWait, "ReceiveTimeout": c.ReceiveTimeout, "CheckTimeout (VERACITY_ENGINE_CHECK_TIMEOUT)": c.CheckTimeout,
		"StuckGrace": c.StuckGrace, "Drain": c.Drain, "JobQueueWait (VERACITY_ENGINE_JOB_QUEUE_WAIT)": c.JobQueueWait, "JobTimeout": c.JobTimeout,
		"JobGrace": c.JobGrace, "ReceiveStall": c.ReceiveStall, "SendStall": c.SendStall, "Heartbeat": c.Heartbeat,
	} {
		if d <= 0 {
			return fmt.Errorf("engine: %s is %s: a positive duration is needed", name, d)
		}
	}
	for _, path := range slices.Concat(c.Read, c.Exec, c.Models.readable()) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("engine: Read, Exec or Models holds %q: absolute paths are needed", path)
		}
	}
	for _, entry := range c.Env {
		if name, _, found := strings.Cut(entry, "="); !found || name == "" {
			return fmt.Errorf("engine: Env holds an entry that is not NAME=VALUE")
		}
	}
	return nil
}

func (c Config) validateJobs() error {
	if c.Jobs < 1 {
		return fmt.Errorf("VERACITY_ENGINE_JOBS: Jobs is %d: 1 or more is needed", c.Jobs)
	}
	if least := renderRoom(engine.MaxClipBytes); c.ScratchBytes < least {
		return fmt.Errorf("VERACITY_ENGINE_SCRATCH_BYTES: ScratchBytes is %d: %d or more is needed, for one rendering of the largest video",
			c.ScratchBytes, least)
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
