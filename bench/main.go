// Command bench measures the built program from outside, on a private durable PostgreSQL and its real engine: requests a
// second against pgbench, image checks against the vips program, and credits against their limit. Each figure stands
// beside a peer's or a limit's of the same run, so that ratios mean something on any machine. What is measured is reached
// over its command line and HTTP alone; nothing of it is linked in.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// longest bounds a whole run; one on an idle machine takes about two minutes.
const longest = 5 * time.Minute

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bench PROGRAM")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := measure(ctx, os.Args[1])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// measure sets everything up, measures part by part and prints the table. What was measured before a failure is printed
// too.
func measure(ctx context.Context, program string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	r, err := setUp(ctx, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.tearDown(context.WithoutCancel(ctx))) }()

	t := &table{}
	t.about(ctx, r)
	for _, part := range []struct {
		what string
		run  func(context.Context, *rig, *table) error
	}{
		{"requests a second", measureRequests},
		{"image checks", measureImages},
		{"concurrent callers", measureCallers},
	} {
		fmt.Fprintf(os.Stderr, "bench: %s\n", part.what)
		if err = part.run(ctx, r, t); err != nil {
			err = fmt.Errorf("measure %s: %w", part.what, err)
			break
		}
	}
	return errors.Join(err, t.print(os.Stdout))
}
