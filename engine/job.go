package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// CheckClip implements Worker. It sends the job once and never again. When it returns, no Read of req.Body is under way.
// Besides the faults of Worker it answers errors of req.Admitted and req.Body as they are, and ctx's own error when ctx
// ended. An engine that dies or falls silent is engine_unavailable with RetryAfter.
func (c *Client) CheckClip(ctx context.Context, req ClipRequest) (Report, error) {
	if req.Media != Video && req.Media != Audio {
		return Report{}, fmt.Errorf("check clip: media is %q: %q or %q is needed", req.Media, Video, Audio)
	}
	var report Report
	err := c.job(ctx, PathCheckClip, jobRequest{Source: req.Source, media: req.Media, maxSeconds: req.MaxSeconds, progress: req.Progress},
		func(a *jobAnswer, line JobLine) error {
			if line.Report == nil || !line.Report.validClip(req.Media) {
				return errBadAnswer("no report of a clip")
			}
			report = *line.Report
			return nil
		})
	if err != nil {
		return Report{}, err
	}
	return report, nil
}

// Render implements Worker, under the same terms as CheckClip. The output is handed to req.Save as it arrives; its last
// bytes come when the whole is known to have arrived, so that a Save which reads to the end has the whole output.
func (c *Client) Render(ctx context.Context, req RenderRequest) (Rendered, error) {
	if req.Media != Image && req.Media != Video {
		return Rendered{}, fmt.Errorf("render: media is %q: %q or %q is needed", req.Media, Image, Video)
	}
	if req.Save == nil {
		return Rendered{}, errors.New("render: Save is nil: nothing would keep the output")
	}
	var rendered Rendered
	ask := jobRequest{Source: req.Source, media: req.Media, maxSeconds: req.MaxSeconds, progress: req.Progress}
	if req.Sign != nil {
		ask.room = req.Sign.Room()
	}
	err := c.job(ctx, PathRender, ask, func(a *jobAnswer, line JobLine) error {
		if line.Rendered == nil || !line.Rendered.valid(req.Media) || !signable(line.Rendered.Unsigned, ask.room, line.Rendered.Bytes) {
			return errBadAnswer("no output of a rendering")
		}
		rendered = *line.Rendered
		return a.save(ctx, rendered, req.saveSigned)
	})
	if err != nil {
		return Rendered{}, err
	}
	return rendered, nil
}

// saveSigned has the output signed, where that was asked for, and saved.
func (r RenderRequest) saveSigned(ctx context.Context, out Rendered, body io.Reader) error {
	if out.Unsigned == nil {
		return r.Save(ctx, out, body)
	}
	body, err := signed(ctx, body, *out.Unsigned, r.Sign)
	if err != nil {
		return err
	}
	return r.Save(ctx, out, body)
}

// jobRequest is what both kinds of job have in common.
type jobRequest struct {
	Source
	media      Media
	maxSeconds float64
	progress   func(done float64)
	// room is how many bytes a signature of the output takes, 0 for none.
	room int
}

// check refuses what no engine takes.
func (r jobRequest) check() error {
	if r.media == Image {
		if f := RefuseSize(r.Size); f != nil {
			return f
		}
		return nil
	}
	if f := RefuseClip(r.media, r.Size); f != nil {
		return f
	}
	if !positive(r.maxSeconds) || r.maxSeconds > MaxClipSeconds {
		return fmt.Errorf("ask the engine: MaxSeconds is %v: over 0 and at most %d is needed", r.maxSeconds, MaxClipSeconds)
	}
	return nil
}

// query is the request's parameters on the wire.
func (r jobRequest) query() string {
	values := url.Values{ParamMedia: {string(r.media)}}
	if r.media != Image {
		values.Set(ParamMaxSeconds, strconv.FormatFloat(r.maxSeconds, 'f', -1, 64))
	}
	if r.room > 0 {
		values.Set(ParamSign, strconv.Itoa(r.room))
	}
	return "?" + values.Encode()
}

// job sends the file and follows the job to its last line, which take reads.
func (c *Client) job(ctx context.Context, path string, r jobRequest, take func(*jobAnswer, JobLine) error) error {
	if f := c.cfg.incomplete(); f != nil {
		return f
	}
	if err := r.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPulse(c.cfg, cancel)
	defer p.rest()
	body := newGatedBody(ctx, p.source(r.Source))
	req, err := c.upload(ctx, path+r.query(), body, func() { p.beat(); body.open() })
	if err != nil {
		return err
	}
	err = c.follow(ctx, req, p, r.progress, take)
	// Sealed any earlier, the transport's last look for more would take the connection down.
	if failure := body.seal(); failure != nil {
		return failure
	}
	return err
}

// follow sends the request and reads its answer to the end.
func (c *Client) follow(
	ctx context.Context, req *http.Request, p *pulse, progress func(float64), take func(*jobAnswer, JobLine) error,
) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return lost(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	p.beat()
	if resp.StatusCode != http.StatusOK {
		answer, err := readAnswer(ctx, resp.Body)
		if err != nil {
			return err
		}
		return refusal(resp.StatusCode, answer)
	}
	a := newJobAnswer(ctx, resp.Body, p)
	line, err := a.last(progress)
	if err != nil {
		return err
	}
	return take(a, line)
}
