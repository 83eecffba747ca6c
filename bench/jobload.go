package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/engine/mediatest"
)

// Paths at which jobs are begun and asked after.
const (
	auditPath    = "/api/v1/audit"
	optimizePath = "/api/v1/optimize"
)

// shortLoad is the two kinds of short job: their files, and the calls that start them.
type shortLoad struct {
	voice, icon                 []byte
	checkVoice, optimizePicture []byte
}

// Prices of the two kinds, in credits.
const (
	voicePrice = 1
	iconPrice  = 2
)

// shortLoad draws the files and lays the voice clip where the program fetches it.
func (r *rig) shortLoad() (shortLoad, error) {
	const seconds, side, name = 2, 64, "voice.wav"
	var b bytes.Buffer
	if err := png.Encode(&b, paint(side, side, 3, logo)); err != nil {
		return shortLoad{}, fmt.Errorf("encode a picture: %w", err)
	}
	l := shortLoad{voice: mediatest.WAV(seconds), icon: b.Bytes()}
	if err := os.WriteFile(filepath.Join(r.pictureDir(), name), l.voice, 0o600); err != nil {
		return shortLoad{}, fmt.Errorf("save a voice clip: %w", err)
	}
	var err, err2 error
	l.checkVoice, err = json.Marshal(map[string]any{"audio_url": "http://" + r.pictureAddress + "/" + name, "seconds": seconds + 0.5})
	l.optimizePicture, err2 = picture{data: l.icon}.byBase64()
	return l, errors.Join(err, err2)
}

// submitters are as many calls at once as an engine of two cores takes without sending any away.
const submitters = 4

// jobCustomers makes accounts that may have their share of the jobs at once.
func (r *rig) jobCustomers(ctx context.Context, name string) ([]customer, error) {
	customers := make([]customer, jobAccounts)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(submitters)
	for i := range customers {
		group.Go(func() (err error) {
			customers[i], err = r.program.customer(ctx, fmt.Sprintf("%s-%d", name, i), 1_000_000,
				"--jobs", strconv.Itoa(shortJobs/jobAccounts))
			return err
		})
	}
	return customers, group.Wait()
}

// begunJob is a job that the API has taken.
type begunJob struct {
	client   *jobClient
	path, id string
}

// submit starts all jobs, the two kinds in turn, and gives them.
func (r *rig) submit(ctx context.Context, customers []customer, load shortLoad) ([]begunJob, error) {
	begun := make([]begunJob, shortJobs)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(submitters)
	for n, c := range customers {
		client := newJobClient(r, c)
		group.Go(func() error {
			for i := n; i < shortJobs; i += len(customers) {
				path, body := auditPath, load.checkVoice
				if i/len(customers)%2 == 1 {
					path, body = optimizePath, load.optimizePicture
				}
				id, err := client.begin(ctx, path, body)
				if err != nil {
					return err
				}
				begun[i] = begunJob{client, path, id}
			}
			return nil
		})
	}
	return begun, group.Wait()
}

// enginesAlone gives the short jobs a second that as many engines do as there are workers, when each is given as many at
// once as its worker gives it.
func (r *rig) enginesAlone(ctx context.Context, name string, load shortLoad) (rate float64, err error) {
	const atOnce = 4
	engines := make([]*loneEngine, workers)
	defer func() {
		for _, e := range engines {
			if e != nil {
				err = errors.Join(err, e.stop())
			}
		}
	}()
	for i := range engines {
		if engines[i], err = r.startEngine(ctx, fmt.Sprintf("engine-%s-%d", name, i)); err != nil {
			return 0, err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for _, e := range engines {
		for n := range atOnce {
			group.Go(func() error {
				for range aloneJobs / workers / atOnce {
					if err := e.shortJob(ctx, load, n%2 == 0); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("work jobs by engines alone: %w", err)
	}
	return aloneJobs / time.Since(start).Seconds(), nil
}

func (e *loneEngine) shortJob(ctx context.Context, load shortLoad, voice bool) error {
	if voice {
		_, err := e.CheckClip(ctx, engine.ClipRequest{Source: sourceOf(load.voice), Media: engine.Audio, MaxSeconds: engine.MaxClipSeconds})
		return err
	}
	_, err := e.Render(ctx, engine.RenderRequest{
		Source: sourceOf(load.icon), Media: engine.Image,
		Save: func(_ context.Context, _ engine.Rendered, body io.Reader) error {
			_, err := io.Copy(io.Discard, body)
			return err
		},
	})
	return err
}

func sourceOf(data []byte) engine.Source {
	return engine.Source{Body: bytes.NewReader(data), Size: int64(len(data))}
}
