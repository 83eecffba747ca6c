package referee

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // For the driver.
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"

	"veracity/platform/toolbox"
)

//go:embed driver.mjs
var driver string

// process is the driver. One runs for all tests of a program and ends with it, as its input does.
type process struct {
	sync.Mutex
	running *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  bytes.Buffer
}

var shared process

// ask gives the driver one order. The test fails when it stops over it; the next order starts another.
func ask(tb testing.TB, order map[string]any, answer any) {
	tb.Helper()
	line, err := json.Marshal(order)
	if err != nil {
		tb.Fatalf("write an order: %v", err)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.running == nil {
		if err := shared.start(tb); err != nil {
			tb.Fatalf("start the referee: %v", err)
		}
	}
	reply, err := shared.exchange(line)
	var fault struct {
		Fault string `json:"fault"`
	}
	if err == nil {
		parse(tb, reply, &fault)
	}
	if err != nil || fault.Fault != "" {
		ended := shared.end()
		tb.Fatalf("the referee stopped over %s: %v %s\n%s", line, errors.Join(err, ended), fault.Fault, shared.errors.String())
	}
	parse(tb, reply, answer)
}

func (p *process) start(tb testing.TB) error {
	tb.Helper()
	wasm, ts := toolbox.Module(tb, "@contentauth/c2pa-wasm"), toolbox.Module(tb, "@trustnxt/c2pa-ts")
	cmd := toolbox.Node(context.Background(), tb, "--input-type=module", "--eval", driver, "--", wasm, ts)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	p.errors.Reset()
	cmd.Stderr = &p.errors
	if err := cmd.Start(); err != nil {
		return err
	}
	p.running, p.in, p.out = cmd, in, bufio.NewReader(out)
	return nil
}

func (p *process) exchange(line []byte) ([]byte, error) {
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("give an order: %w", err)
	}
	reply, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("wait for an answer: %w", err)
	}
	return reply, nil
}

func (p *process) end() error {
	err := errors.Join(p.in.Close(), p.running.Wait())
	p.running = nil
	return err
}
