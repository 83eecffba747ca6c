package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second
	// stopTimeout is longer than the program gives its requests and its parts to end.
	stopTimeout = 100 * time.Second
)

// server is `veracity serve` as a process. It logs to a file as it would in production.
type server struct {
	cmd     *exec.Cmd
	logPath string
	exited  chan struct{}
	// err is how the process ended; it is read after exited alone.
	err error
}

// startServer returns when the program says that it is ready.
func startServer(ctx context.Context, p program, address, logPath string) (*server, error) {
	log, err := os.Create(logPath)
	if err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	defer func() { _ = log.Close() }() // the process has its own descriptor
	s := &server{cmd: p.command(context.WithoutCancel(ctx), "serve"), logPath: logPath, exited: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	// Ctrl-C in a terminal is for this process alone, which stops the server itself.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.exited)
	}()
	if err := s.waitReady(ctx, "http://"+address+"/readyz"); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
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
		return fmt.Errorf("stop the server: %w: %s", s.err, s.lastWords())
	}
	return nil
}
