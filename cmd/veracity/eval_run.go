package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/platform/fault"
)

// trial runs the files of a list through an engine, in each variant.
type trial struct {
	examine  func(ctx context.Context, path string) (engine.Report, error)
	treat    treatments
	variants []string
	by       judged
	// jobs is how many files are worked on at once.
	jobs int
	// told hears each outcome, in the order of the list and its variants.
	told func(outcome) error
	// done hears how much is done, 0 to 1.
	done func(float64)
}

// engineTrial has the engine check the files.
func engineTrial(checker startedEngine, treat treatments, variants []string, by judged, jobs int) trial {
	return trial{
		examine: func(ctx context.Context, path string) (engine.Report, error) { return checkFile(ctx, checker, path) },
		treat:   treat, variants: variants, by: by, jobs: jobs,
		told: func(outcome) error { return nil }, done: func(float64) {},
	}
}

// run answers the outcomes in the order of the list and its variants. A variant that is made for another kind of media is
// left out for a file. It ends early when the engine is gone or has no model: nothing after that would be judged.
func (r trial) run(ctx context.Context, samples []sample) ([]outcome, error) {
	var all []outcome
	for _, s := range samples {
		media := mediaOf(s.path)
		for _, variant := range r.variants {
			if fits(variant, media) {
				all = append(all, outcome{sample: s, variant: variant})
			}
		}
	}
	line := queue{tell: r.told, done: r.done, ready: make([]bool, len(all)), all: all}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, r.jobs))
	for i := range all {
		work.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := r.judge(ctx, &all[i]); err != nil {
				return err
			}
			return line.finish(i)
		})
	}
	return all, work.Wait()
}

func (r trial) judge(ctx context.Context, o *outcome) error {
	path, clear, err := r.treat.apply(ctx, o.path, o.variant)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errNoFFmpeg):
		return err
	case err != nil:
		o.refusal, o.why = untreatable, err.Error()
		return nil
	}
	defer clear()
	report, err := r.examine(ctx, path)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return o.read(report, r.by)
	}
	if o.refusal = fault.CodeOf(err); o.refusal == fault.EngineUnavailable || o.refusal == fault.ModelUnavailable {
		return fmt.Errorf("check %s: %w", o.name, err)
	}
	o.why = err.Error()
	return nil
}

// untreatable is the refusal of a file of which a variant cannot be made.
const untreatable fault.Code = "untreatable"

// queue passes outcomes on in their order, however they finish.
type queue struct {
	tell func(outcome) error
	done func(float64)
	all  []outcome

	mu    sync.Mutex
	ready []bool
	next  int
}

func (q *queue) finish(i int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.ready[i] = true; q.next < len(q.all) && q.ready[q.next]; q.next++ {
		if err := q.tell(q.all[q.next]); err != nil {
			return err
		}
	}
	q.done(float64(q.next) / float64(len(q.all)))
	return nil
}

// scoreColumns are those of a file of scores. Raw, probability and other are empty where the model was not asked.
var scoreColumns = []string{
	"path", "label", "group", "repo", "split", "variant", "verdict", "score", "decided_by", "lane", "rows", "raw", "probability", "other", "refusal",
}

// scoreLine is one line of it.
func (o outcome) scoreLine() string {
	fields := []string{o.name, string(o.label), o.group, o.repo, o.split, o.variant, string(o.verdict), "", string(o.by), string(o.lane), "", "", "", "", string(o.refusal)}
	if o.score != nil {
		fields[7] = strconv.Itoa(*o.score)
	}
	if r := o.reading; r != nil {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		fields[10], fields[11], fields[12], fields[13] = strconv.Itoa(r.Rows), number(r.Raw), number(r.Probability), number(r.Other)
	}
	for i, f := range fields {
		fields[i] = oneLine(f)
	}
	return strings.Join(fields, "\t") + "\n"
}

// scoreFile writes lines of scores; it is nothing where no name is given.
type scoreFile struct{ file *os.File }

func newScoreFile(name string) (scoreFile, error) {
	if name == "" {
		return scoreFile{}, nil
	}
	f, err := os.Create(filepath.Clean(name))
	if err != nil {
		return scoreFile{}, usageError{fmt.Errorf("--scores: %w", err)}
	}
	_, err = f.WriteString(strings.Join(scoreColumns, "\t") + "\n")
	return scoreFile{f}, err
}

func (s scoreFile) write(o outcome) error {
	if s.file == nil {
		return nil
	}
	_, err := s.file.WriteString(o.scoreLine())
	return err
}

func (s scoreFile) close(err error) error {
	if s.file == nil {
		return err
	}
	return errors.Join(err, s.file.Close())
}
