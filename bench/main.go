// Command bench measures the built program from outside, on a private durable PostgreSQL and its real engine: requests a
// second against pgbench, checks and optimizations against the programs that do a part of the same, jobs against the
// engine alone, and credits and the portal's pages against their limits. Each figure stands beside a peer's or a limit's of
// the same run, so that ratios mean something on any machine. What is measured is reached over its command line, HTTP and
// the engine's socket; of the product itself only the engine's client, the yardstick of likeness, and what reads the outbox
// and lays out the database are linked in.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// longest bounds one measurement; on an idle machine each takes one to three minutes.
const longest = 15 * time.Minute

// measurement is one that can be asked for by its name.
type measurement struct {
	name string
	run  func(context.Context, *rig, *table) error
}

func measurements() []measurement {
	return []measurement{
		{"requests", measureRequests},
		{"image-checks", measureImages},
		{"callers", measureCallers},
		{"watermarks", measureMarks},
		{"models", measureModels},
		{"video-checks", measureVideoChecks},
		{"image-optimization", measureStills},
		{"video-optimization", measureFilms},
		{"jobs", measureJobs},
		{"pages", measurePages},
	}
}

// options are what a run is told on its command line.
type options struct {
	program string
	// work keeps drawn clips from run to run; pictures, when set, is a folder of pictures to optimize instead of drawn ones.
	work, pictures string
	names          []string
}

func main() {
	o, err := readOptions(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err = measure(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func readOptions(args []string) (options, error) {
	known := make([]string, 0, len(measurements()))
	for _, m := range measurements() {
		known = append(known, m.name)
	}
	usage := "usage: bench PROGRAM [-work DIR] [-pictures DIR] [NAME…], of " + strings.Join(known, ", ")
	if len(args) == 0 {
		return options{}, errors.New(usage)
	}
	o := options{program: args[0]}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&o.work, "work", filepath.Join(filepath.Dir(o.program), "bench-media"), "folder that keeps drawn clips")
	fs.StringVar(&o.pictures, "pictures", "", "folder of pictures for image-optimization; none: drawn ones")
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args[1:]); err != nil {
		return options{}, fmt.Errorf("%w: %s", err, usage)
	}
	o.names = fs.Args()
	for _, name := range o.names {
		if !slices.Contains(known, name) {
			return options{}, fmt.Errorf("there is no measurement %q: %s", name, usage)
		}
	}
	return o, nil
}

// measure sets everything up, measures part by part and prints the table. What was measured before a failure is printed
// too.
func measure(ctx context.Context, o options) (err error) {
	r, err := setUp(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.tearDown(context.WithoutCancel(ctx))) }()

	t := &table{}
	t.about(ctx, r)
	for _, m := range measurements() {
		if len(o.names) > 0 && !slices.Contains(o.names, m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s\n", m.name)
		if err = m.within(ctx, r, t); err != nil {
			err = fmt.Errorf("measure %s: %w", m.name, err)
			break
		}
	}
	return errors.Join(err, t.print(os.Stdout))
}

func (m measurement) within(ctx context.Context, r *rig, t *table) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return m.run(ctx, r, t)
}
