package storagetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/toolbox"
)

const (
	serverName = "versitygw"
	// startTries is how often another process may take the port that was free a moment ago.
	startTries = 3
	startLimit = 20 * time.Second
	pollEvery  = 10 * time.Millisecond
)

// S3Server is a versitygw on loopback that keeps its buckets in a temporary folder.
type S3Server struct {
	url       string
	accessKey string
	secretKey string
	output    *output
	stop      func()
}

// Stop ends the server and removes its buckets. It may be called twice.
func (s *S3Server) Stop() { s.stop() }

func startServer(tb testing.TB) *S3Server {
	tb.Helper()
	binary, err := findTool(serverName)
	require.NoError(tb, err)
	for range startTries - 1 {
		if server, err := launch(binary); err == nil {
			return server
		}
	}
	server, err := launch(binary)
	require.NoError(tb, err)
	return server
}

// findTool looks into the folder of `make tools` before the PATH.
func findTool(name string) (string, error) {
	dir, err := toolbox.Dir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	path, err = exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither in %s nor on the PATH: run make tools", name, dir)
	}
	return path, nil
}

// launch starts one process and waits until it answers. The folder and the process outlive the test that starts them,
// so neither is tied to it.
func launch(binary string) (*S3Server, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "veracity-s3-")
	if err != nil {
		return nil, fmt.Errorf("make folder of %s: %w", serverName, err)
	}
	server := &S3Server{url: "http://" + addr, accessKey: rand.Text(), secretKey: rand.Text(), output: &output{}}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, //nolint:gosec // the binary is ours, found by findTool
		"--port", addr, "--access", server.accessKey, "--secret", server.secretKey, "--region", region, "--quiet",
		"posix", dir)
	cmd.Stdout, cmd.Stderr = server.output, server.output
	cmd.SysProcAttr = dieWithParent()
	ended := run(cmd, server.output)
	server.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		_ = os.RemoveAll(dir) // a leftover in the system's temporary folder fails no test
	})
	if err := waitForPort(addr, ended); err != nil {
		server.Stop()
		return nil, fmt.Errorf("start %s: %w: %s", serverName, err, server.output)
	}
	return server, nil
}

// run starts cmd and closes the channel when it has ended. Linux sends the parent-death signal when the starting
// thread ends, so that thread is kept.
func run(cmd *exec.Cmd, out *output) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Run(); err != nil {
			_, _ = fmt.Fprintln(out, err)
		}
	}()
	return ended
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // binding a loopback port does not block
	if err != nil {
		return "", fmt.Errorf("find free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

func waitForPort(addr string, ended <-chan struct{}) error {
	limit := time.After(startLimit)
	for {
		conn, err := net.DialTimeout("tcp", addr, startLimit) //nolint:noctx // bounded by its own timeout
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ended:
			return errors.New("it ended")
		case <-limit:
			return fmt.Errorf("no answer within %s: %w", startLimit, err)
		case <-time.After(pollEvery):
		}
	}
}

// output keeps what the server prints, for the message of a test that fails.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String implements fmt.Stringer.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
