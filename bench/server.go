package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second
	// stopTimeout is longer than the program gives its requests and its parts to end.
	stopTimeout = 100 * time.Second
)

// server is the program as a process that stays: serve, worker or engine. It logs to a file as it would in production.
type server struct {
	cmd     *exec.Cmd
	logPath string
	exited  chan struct{}
	// err is how the process ended; it is read after exited alone.
	err error
}

// startServer returns when the program says that it is ready. Jobs are for workers of their own.
func startServer(ctx context.Context, p program, address, logPath string) (*server, error) {
	s, err := launch(p.command(context.WithoutCancel(ctx), "serve", "--workers=false"), logPath)
	if err != nil {
		return nil, err
	}
	if err := s.waitReady(ctx, "http://"+address+"/readyz"); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// launch starts a process that writes to a log, behind what an earlier one wrote.
func launch(cmd *exec.Cmd, logPath string) (*server, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	defer func() { _ = log.Close() }() // the process has its own descriptor
	s := &server{cmd: cmd, logPath: logPath, exited: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	// Ctrl-C in a terminal is for this process alone, which stops the server itself.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s, err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.exited)
	}()
	return s, nil
}

// String is the process by the name of its log.
func (s *server) String() string {
	return "the " + strings.TrimSuffix(filepath.Base(s.logPath), ".log")
}

// failed says that the process has ended although nobody stopped it.
func (s *server) failed() error {
	select {
	case <-s.exited:
		return fmt.Errorf("%s ended (%w): %s", s, s.err, s.lastWords())
	default:
		return nil
	}
}

// kill ends the process with SIGKILL and returns when it is gone.
func (s *server) kill() error {
	if err := s.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", s, err)
	}
	<-s.exited
	return nil
}

func (s *server) waitReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{Proxy: nil}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if answers(ctx, client, url) {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the server ended at its start (%w): %s", s.err, s.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready after %s: %s", startTimeout, s.lastWords())
		case <-tick.C:
		}
	}
}

func answers(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// lastWords is the end of the server's log.
func (s *server) lastWords() string {
	const tail = 2000
	log, err := os.ReadFile(s.logPath)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(log[max(0, len(log)-tail):]))
}

// stop ends the server in good order, and at once when that takes too long.
func (s *server) stop() error {
	// It may have ended by itself, which its exit then says.
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	patience := time.NewTimer(stopTimeout)
	defer patience.Stop()
	select {
	case <-s.exited:
	case <-patience.C:
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	if s.err != nil {
		return fmt.Errorf("stop %s: %w: %s", s, s.err, s.lastWords())
	}
	return nil
}
