// Command veracity is the whole product: portal, API, workers, media engine and the operator's tools. Each command has
// a file of its own here; what they share is wired in type App. The environment is read in this package alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"veracity/platform/fault"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run executes one command line. The first SIGINT or SIGTERM ends the command in good order, a second one at once.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	cmd := newRoot(os.Getenv)
	cmd.SetArgs(args)
	return exitCode(cmd.ExecuteContext(ctx), os.Stderr)
}

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// exitCode says in one line on stderr what went wrong, and turns it into the process's exit code.
func exitCode(err error, stderr interface{ WriteString(string) (int, error) }) int {
	if err == nil {
		return exitOK
	}
	text := err.Error()
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		text = f.Message
	}
	var silent silentError
	if !errors.As(err, &silent) {
		_, _ = stderr.WriteString(fmt.Sprintf("veracity: %s\n", oneLine(text)))
	}
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// silentError fails a command whose output has already said why.
type silentError struct{ error }
