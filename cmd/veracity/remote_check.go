package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"veracity/client"
	"veracity/engine"
)

// remoteChecks are the options of `remote check`.
type remoteChecks struct {
	media   string
	seconds float64
	detail  bool
	atOnce  int
	job     string

	kind client.Media
}

// maxAtOnce is the most files under way at once: the most jobs of any plan.
const maxAtOnce = 20

func remoteCheckCommand(s *Settings) *cobra.Command {
	var o remoteChecks
	cmd := &cobra.Command{
		Use: "check FILE…", Short: "Check files or addresses with a service", Args: func(cmd *cobra.Command, args []string) error {
			if o.job != "" && len(args) == 0 {
				return nil
			}
			return someArgs("file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, files []string) error { return s.remoteCheck(cmd, files, o) },
	}
	cmd.Flags().StringVar(&o.media, "media", "", "what the files are: image, video or audio; by default their content or name says it")
	cmd.Flags().Float64Var(&o.seconds, "seconds", 0, "length of the videos or voice clips, so that fewer credits are held")
	cmd.Flags().BoolVar(&o.detail, "detail", false, "add the engine's own report (with --json)")
	cmd.Flags().IntVar(&o.atOnce, "at-once", 2, "files under way at once, up to what the plan allows")
	cmd.Flags().StringVar(&o.job, "job", "", "instead of a file: id of a check to wait for")
	return cmd
}

func (s *Settings) remoteCheck(cmd *cobra.Command, files []string, o remoteChecks) (err error) {
	if o.kind, err = mediaFlag(o.media); err != nil {
		return err
	}
	if o.atOnce < 1 || o.atOnce > maxAtOnce {
		return usageError{fmt.Errorf("--at-once is %d: allowed are 1 to %d", o.atOnce, maxAtOnce)}
	}
	r, err := s.newRemote(cmd)
	if err != nil {
		return err
	}
	if o.job != "" {
		files = []string{o.job}
	}
	r.board.begin(len(files))
	defer r.board.end()
	return r.checkFiles(cmd.Context(), files, o)
}

// checkedFile is the end of one check.
type checkedFile struct {
	job *client.CheckJob
	err error
}

// checkFiles checks files beside each other and prints their lines in order. What every file would meet ends it; what has
// been paid for by then is still printed.
func (r *remote) checkFiles(ctx context.Context, files []string, o remoteChecks) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	ends := r.checkAll(ctx, &wg, files, o)
	refused := 0
	var stopped error
	for i, name := range files {
		end := <-ends[i]
		if end.err != nil {
			r.tellUnfinished(name, "check", end.err)
		}
		switch {
		case errors.Is(end.err, context.Canceled):
			stopped = cmp.Or(stopped, errInterrupted)
			continue
		case end.err != nil && r.everyFile(end.err):
			stopped = cmp.Or(stopped, r.inOneLine(end.err))
			cancel()
			continue
		case end.err != nil:
			refused++
		}
		if err := r.printCheckOf(name, end, o.detail); err != nil {
			return err
		}
	}
	if stopped == nil && refused > 0 {
		return fmt.Errorf("%d of %d files could not be checked: see their lines", refused, len(files))
	}
	return stopped
}

// checkAll begins the checks in order, as many beside each other as o allows.
func (r *remote) checkAll(ctx context.Context, wg *sync.WaitGroup, files []string, o remoteChecks) []chan checkedFile {
	ends := make([]chan checkedFile, len(files))
	for i := range ends {
		ends[i] = make(chan checkedFile, 1)
	}
	places := make(chan struct{}, o.atOnce)
	wg.Go(func() {
		for i, name := range files {
			places <- struct{}{}
			wg.Go(func() {
				defer func() { <-places }()
				job, err := r.checkOne(ctx, name, o)
				r.board.finish(name)
				ends[i] <- checkedFile{job, err}
			})
		}
	})
	return ends
}

func (r *remote) checkOne(ctx context.Context, name string, o remoteChecks) (*client.CheckJob, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	api, err := r.client(name)
	if err != nil {
		return nil, err
	}
	options := &client.CheckOptions{
		Seconds: o.seconds, Detail: o.detail, Wait: r.watching(name),
		OnUpload: func(sent, total int64) { r.board.sent(name, sent, total) },
	}
	if o.job != "" {
		return api.WaitCheck(ctx, o.job, options)
	}
	file, err := openSubject(name, o.kind)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.close() }()
	r.board.say(name, "checking")
	job, err := api.StartCheck(ctx, file.Source, options)
	if err != nil || job.Status.Ended() {
		return job, err
	}
	return api.WaitCheck(ctx, job.ID, options)
}

func (r *remote) printCheckOf(name string, end checkedFile, full bool) (err error) {
	r.board.aside(func() { err = r.writeCheck(name, end, full) })
	return err
}

func (r *remote) writeCheck(name string, end checkedFile, full bool) error {
	switch {
	case !r.JSON && end.err != nil:
		told := r.reason(end.err)
		_, err := fmt.Fprintf(r.out, "%s  refused      %s: %s\n", name, told.Code, oneLine(told.Message))
		return err
	case !r.JSON:
		_, err := fmt.Fprintf(r.out, "%s  %s\n", name, summary(reportOf(&end.job.Check)))
		return err
	case end.err != nil:
		return json.NewEncoder(r.out).Encode(struct {
			File  string    `json:"file"`
			Error fileError `json:"error"`
		}{name, r.reason(end.err)})
	}
	if !full {
		end.job.Detail = nil
	}
	return json.NewEncoder(r.out).Encode(struct {
		File string `json:"file"`
		ID   string `json:"id,omitempty"`
		client.Check
	}{name, end.job.ID, end.job.Check})
}

// reportOf is as much of a report as its summary says.
func reportOf(c *client.Check) engine.Report {
	r := engine.Report{Verdict: engine.Verdict(c.Verdict), Score: c.Score, DecidedBy: engine.DecidedBy(c.DecidedBy)}
	r.Lanes.Provenance.Issuer = c.Lanes.Provenance.Issuer
	return r
}
