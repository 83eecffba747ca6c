package supervise

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"veracity/engine"
	"veracity/engine/serve"
	"veracity/platform/fault"
)

// The test binary is also the engine that it supervises, and a supervisor that can be killed.
const (
	roleEngine = "engine"
	roleParent = "parent"
	roleBroken = "broken"
)

// raceEnv spares the race detector's second of sleep at exit.
var raceEnv = []string{"GORACE=atexit_sleep_ms=0"}

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	var err error
	switch os.Args[1] {
	case roleEngine:
		err = beEngine(os.Args[2:])
	case roleParent:
		err = beParent()
	case roleBroken:
		err = errors.New("the engine's library is missing")
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beEngine is what the engine command of a program does.
func beEngine(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c := serve.Command{
		Supervised: len(args) == 0, Input: os.Stdin, Reexec: []string{roleEngine},
		Log: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
		New: func(context.Context, serve.Setup) (serve.Inspector, error) { return obedient{}, nil },
	}
	if len(args) == 1 {
		c.Handoff = args[0]
	}
	return serve.Main(ctx, c)
}

// obedient is an Inspector that does what the image's text says.
type obedient struct{}

func (obedient) Models() map[string]string { return map[string]string{} }

func (obedient) Fault() *fault.Fault { return nil }

func (obedient) Inspect(ctx context.Context, data []byte) (engine.Report, error) {
	verb, argument, _ := strings.Cut(string(data), " ")
	var finding any
	switch verb {
	case "hold":
		<-ctx.Done()
		return engine.Report{}, ctx.Err()
	case "hang":
		select {}
	case "environment":
		finding = os.Environ()
	case "read":
		_, err := os.ReadFile(argument)
		finding = fmt.Sprint(err)
	case "scratch":
		finding = fmt.Sprint(os.WriteFile(os.TempDir()+"/frame", []byte("x"), 0o600))
	case "allocate":
		if err := allocate(argument); err != nil {
			// As a C library without memory ends its process.
			os.Exit(2)
		}
	case "start":
		cmd := exec.Command(argument, "1000")
		if err := cmd.Start(); err != nil {
			return engine.Report{}, err
		}
		finding = cmd.Process.Pid
	}
	report := engine.Report{Media: engine.Image, Verdict: engine.Unavailable, DecidedBy: engine.ByWeighed}
	report.Detail.Provenance = finding
	return report, nil
}

// Accept is never asked in these tests.
func (obedient) Accept(context.Context, []byte) (engine.File, error) {
	return engine.File{}, errors.New("no image is accepted")
}

// Render is never asked in these tests.
func (obedient) Render(context.Context, serve.Job) (engine.Rendered, error) {
	return engine.Rendered{}, errors.New("nothing is rendered")
}

// InspectClip does what the clip's text says.
func (obedient) InspectClip(ctx context.Context, job serve.Job) (engine.Report, error) {
	order, err := os.ReadFile(job.Path)
	if err != nil {
		return engine.Report{}, err
	}
	if err := os.WriteFile(filepath.Join(job.Dir, "frame"), order, 0o600); err != nil {
		return engine.Report{}, err
	}
	switch string(order) {
	case "hold":
		<-ctx.Done()
		return engine.Report{}, ctx.Err()
	case "hang":
		select {}
	case "spin":
		for ctx.Err() == nil {
			_ = sha256.Sum256(order)
		}
		return engine.Report{}, ctx.Err()
	}
	return engine.Report{
		Media: engine.Audio, Verdict: engine.Unavailable, DecidedBy: engine.ByVoice,
		Audio: &engine.AudioInfo{Seconds: 1, SampleRate: 8000, Channels: 1, Codec: "pcm", Readings: []engine.Reading{}},
	}, nil
}

func allocate(bytes string) error {
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return err
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.Munmap(memory)
}

// beParent supervises an engine, tells where it is, and waits to be killed.
func beParent() error {
	s, err := Start(context.Background(), testConfig(roleEngine))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.WaitReady(ctx); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(s.Socket()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// testConfig supervises this test binary in the given role.
func testConfig(role string) Config {
	settings := serve.DefaultConfig(2)
	settings.Env = raceEnv
	settings.Exec = []string{"/usr/bin/sleep"}
	cfg := DefaultConfig(settings, slog.New(slog.DiscardHandler), role)
	cfg.Env = raceEnv
	return cfg
}
