package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"veracity/client"
	"veracity/platform/fault"
)

// remoteOptimization is one run of `remote optimize`.
type remoteOptimization struct {
	name, output string
	media        string
	seconds      float64
	job          string
}

func remoteOptimizeCommand(s *Settings) *cobra.Command {
	var o remoteOptimization
	cmd := &cobra.Command{
		Use: "optimize FILE -o OUT", Short: "Optimize a file, or what an address leads to, with a service",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.job != "" && len(args) == 0 {
				return nil
			}
			return oneArg("file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = o.job
			if o.job == "" {
				o.name = args[0]
			}
			return s.remoteOptimize(cmd, o)
		},
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&o.media, "media", "", "what the file is: image or video; by default its content or name says it")
	cmd.Flags().Float64Var(&o.seconds, "seconds", 0, "length of the video, so that fewer credits are held")
	cmd.Flags().StringVar(&o.job, "job", "", "instead of a file: id of an optimization to wait for")
	return cmd
}

func (s *Settings) remoteOptimize(cmd *cobra.Command, o remoteOptimization) error {
	kind, err := mediaFlag(o.media)
	if err != nil {
		return err
	}
	if o.output == "" {
		return usageError{errors.New("say where the optimized file goes: -o OUT")}
	}
	r, err := s.newRemote(cmd)
	if err != nil {
		return err
	}
	// What cannot be written is better known before it has been paid for.
	if err := writable(o.output); err != nil {
		return err
	}
	r.board.begin(1)
	defer r.board.end()
	err = r.optimize(cmd.Context(), o, kind)
	if err == nil {
		return nil
	}
	r.tellUnfinished(o.name, "optimize", err)
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return r.inOneLine(err)
}

func (r *remote) optimize(ctx context.Context, o remoteOptimization, kind client.Media) error {
	api, err := r.client(o.name)
	if err != nil {
		return err
	}
	job, size, err := r.optimized(ctx, api, o, kind)
	if err != nil {
		return err
	}
	n, err := api.DownloadFile(ctx, job, o.output, func(got, total int64) { r.board.set(o.name, "downloading", portion(got, total)) })
	if err != nil {
		return &client.UnfinishedError{JobID: job.ID, Err: err}
	}
	r.board.finish(o.name)
	r.board.aside(func() { err = r.writeOptimization(o, job, n, size) })
	return err
}

// optimized starts the optimization, or comes back to one, and waits for it. It gives the length of a local source too.
func (r *remote) optimized(ctx context.Context, api *client.Client, o remoteOptimization, kind client.Media) (*client.Optimization, int64, error) {
	watching := r.watching(o.name)
	if o.job != "" {
		job, err := api.WaitOptimization(ctx, o.job, &watching)
		return job, 0, err
	}
	file, err := openSubject(o.name, kind)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.close() }()
	if !isAddress(o.name) {
		if same, err := sameFile(o.name, o.output); err != nil || same {
			return nil, 0, errors.Join(err, fault.New(fault.InvalidParameter, "OUT is FILE itself: name another file."))
		}
	}
	r.board.say(o.name, "starting")
	job, err := api.Optimize(ctx, file.Source, &client.OptimizeOptions{
		Seconds: o.seconds, Wait: watching, OnUpload: func(sent, total int64) { r.board.sent(o.name, sent, total) },
	})
	return job, file.size, err
}

// remoteOptimized is the output of `remote optimize --json`.
type remoteOptimized struct {
	File        string `json:"file"`
	Output      string `json:"output"`
	Bytes       int64  `json:"bytes"`
	SourceBytes int64  `json:"source_bytes,omitempty"`
	*client.Optimization
}

func (r *remote) writeOptimization(o remoteOptimization, job *client.Optimization, n, sourceBytes int64) error {
	if job.Video != nil {
		sourceBytes = job.Video.SourceBytes
	}
	if r.JSON {
		return json.NewEncoder(r.out).Encode(remoteOptimized{
			File: o.name, Output: o.output, Bytes: n, SourceBytes: sourceBytes, Optimization: job,
		})
	}
	text := o.output + "  " + size(n)
	if sourceBytes > 0 {
		text += " (source " + size(sourceBytes) + ")"
	}
	if job.Score != nil {
		text += fmt.Sprintf(", score %d (%s)", job.Score.Score, job.Score.Zone)
	}
	_, err := fmt.Fprintln(r.out, text)
	return err
}

func portion(done, total int64) float64 {
	if total <= 0 {
		return 0
	}
	return float64(done) / float64(total)
}

// writable makes sure that a file can appear under that name.
func writable(name string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder", name)
	}
	made, err := os.CreateTemp(filepath.Dir(name), ".veracity-*")
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err // the name tried says nothing to anybody
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return errors.Join(made.Close(), os.Remove(made.Name()))
}
