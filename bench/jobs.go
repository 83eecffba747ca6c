package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// shortJobs are worked twice: by two workers, and by two of which one is killed.
	shortJobs = 1000
	// Each account may have as many jobs at once as it is given, so that no cap slows a run.
	jobAccounts = 20
	// workers and the engines that stand beside them are as many.
	workers = 2
	// aloneJobs are worked by engines alone before the workers' run, and as many after it: the same number by each caller.
	aloneJobs = 104
	// takeUp is the limit: how soon a killed worker's jobs are another's, with the default settings.
	takeUp = 2 * time.Minute
)

// measureJobs has two workers do many short jobs, of which half are checks of voice clips of 2 s and half optimizations of
// PNGs of 64 × 64, beside two engines that do such jobs alone. Then the same with one worker killed amid them. Each job
// must end once and be charged once.
func measureJobs(ctx context.Context, r *rig, t *table) error {
	load, err := r.shortLoad()
	if err != nil {
		return err
	}
	alone, err := r.enginesAlone(ctx, "before", load)
	if err != nil {
		return err
	}
	plain, err := r.workJobs(ctx, "steady", load, false)
	if err != nil {
		return err
	}
	after, err := r.enginesAlone(ctx, "after", load)
	if err != nil {
		return err
	}
	killed, err := r.workJobs(ctx, "killed", load, true)
	if err != nil {
		return err
	}
	both := []float64{alone, after}
	peer := (alone + after) / 2
	t.add(row{
		what: fmt.Sprintf("%d short jobs, %d workers", shortJobs, workers), figure: fmt.Sprintf("%.1f/s", plain.rate()),
		against: fmt.Sprintf("%d engines alone %.1f/s", workers, peer), ratio: fmt.Sprintf("%.2f", plain.rate()/peer),
	})
	t.add(row{
		what: "the same, one worker killed and restarted", figure: fmt.Sprintf("%.1f/s", killed.rate()),
		against: fmt.Sprintf("undisturbed %.1f/s", plain.rate()), ratio: fmt.Sprintf("%.2f", killed.rate()/plain.rate()),
	})
	late := killed.lastRetried.Sub(killed.killedAt)
	t.add(row{
		what: fmt.Sprintf("last of the killed worker's %d jobs ended", killed.retried), figure: fmt.Sprintf("%.0f s", late.Seconds()),
		against: fmt.Sprintf("its limit %.0f s", takeUp.Seconds()), ratio: fmt.Sprintf("%.2f", late.Seconds()/takeUp.Seconds()),
		aim: "at most 1", met: killed.retried > 0 && late <= takeUp,
	})
	t.note("engines alone did %.1f/s before the workers and %.1f/s after; calls that start jobs were answered at %.0f/s and %.0f/s",
		slices.Min(both), slices.Max(both), plain.accepted, killed.accepted)
	return reportBooks(t, plain, killed)
}

func reportBooks(t *table, runs ...jobRun) error {
	var broken []string
	for _, run := range runs {
		for _, found := range run.broken() {
			broken = append(broken, run.name+" run: "+found)
		}
	}
	t.add(row{
		what: "jobs lost, doubled, uncharged or left held, in both", figure: strconv.Itoa(len(broken)), against: "none", aim: "none",
		met: len(broken) == 0,
	})
	if len(broken) > 0 {
		return errors.New("a guarantee broke: " + strings.Join(broken, "; "))
	}
	return nil
}

// workJobs starts all jobs, then the workers, and waits until every job has ended. With kill, one worker is killed when a
// third of the jobs has ended, and started again.
func (r *rig) workJobs(ctx context.Context, name string, load shortLoad, kill bool) (run jobRun, err error) {
	run.name = name
	customers, err := r.jobCustomers(ctx, name)
	if err != nil {
		return run, err
	}
	l, err := r.openLedger(ctx, customers)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	start := time.Now()
	if run.begun, err = r.submit(ctx, customers, load); err != nil {
		return run, err
	}
	run.accepted = shortJobs / time.Since(start).Seconds()

	crew := make([]*server, workers)
	defer func() {
		for _, w := range crew {
			if w != nil {
				err = errors.Join(err, w.stop())
			}
		}
	}()
	for i := range crew {
		if crew[i], err = r.startWorker(ctx, fmt.Sprintf("worker-%s-%d", name, i)); err != nil {
			return run, err
		}
	}
	if kill {
		if err := l.await(ctx, shortJobs/3, crew); err != nil {
			return run, err
		}
		if err := crew[0].kill(); err != nil {
			return run, err
		}
		run.killedAt = time.Now()
		if crew[0], err = r.startWorker(ctx, fmt.Sprintf("worker-%s-0", name)); err != nil {
			return run, err
		}
	}
	if err := l.await(ctx, shortJobs, crew); err != nil {
		return run, err
	}
	if run.ends, err = l.read(ctx); err != nil {
		return run, err
	}
	err = run.audit(ctx, r, customers)
	return run, err
}
