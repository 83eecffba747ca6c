package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"veracity/api"
	"veracity/media"
)

// tools are all tools, in the order in which an assistant would come to need them.
func (s *Server) tools(p media.Prices) []tool {
	return []tool{s.checkMedia(p), s.getCheck(), s.optimizeMedia(p), s.getOptimization(), s.createUpload(), s.getUsage()}
}

func (s *Server) checkMedia(p media.Prices) tool {
	return newTool(sdk.Tool{
		Name: "check_media", Title: "Check media for AI",
		Description: fmt.Sprintf(`Tells whether an image, a video or a voice clip was made by AI. Give exactly one source.

An image is checked at once: the answer has verdict, score and the readings of each lane. A video or voice clip is checked by a job: the answer has its id and status, and get_check reads it.

Costs %s for an image, %s of video, %s of voice. For a clip without seconds, credits for %d minutes are held and the real length is charged. A check that fails costs nothing.`,
			credits(p.ImageCheck), started(p.VideoCheck, p.VideoCheckSeconds), started(p.VoiceCheck, p.VoiceCheckSeconds), media.MaxSeconds/60),
		Annotations:  annotations(spends, reachesOut),
		OutputSchema: checkAnswer(),
	}, nil, sources("image", "video", "audio").with(fields{
		"seconds": seconds(), argDetail: detail(), argKey: idempotencyKey(),
	}), func(ctx context.Context, c call) (result, error) {
		return start(ctx, c, s.acts.Check, "The check has started. Call get_check with this id and wait_seconds %d to read it.")
	})
}

func (s *Server) getCheck() tool {
	return newTool(sdk.Tool{
		Name: "get_check", Title: "Read a check",
		Description: fmt.Sprintf(`Reads the check of a video or voice clip that check_media started. status is queued, running, succeeded or failed; once it has succeeded, verdict, score and lanes are there, and once it has failed, error says why. Costs nothing.

Give wait_seconds, up to %d, to wait for the end instead of asking again and again. Results stay readable for some days after the end.`, maxWait),
		Annotations:  annotations(reads),
		OutputSchema: checkJob(),
	}, []string{"id"}, fields{
		"id":      text("The id that check_media answered.").format("uuid"),
		argWait:   waitSeconds(),
		argDetail: detail(),
	}, func(ctx context.Context, c call) (result, error) {
		full, err := c.arguments.full()
		if err != nil {
			return result{}, err
		}
		return s.readJob(ctx, c, "check_media", func(ctx context.Context, id string) ([]byte, error) {
			return s.acts.ReadCheck(ctx, id, full)
		})
	})
}

func (s *Server) optimizeMedia(p media.Prices) tool {
	return newTool(sdk.Tool{
		Name: "optimize_media", Title: "Optimize an image or video",
		Description: fmt.Sprintf(`Makes an image or video ready for delivery: a PNG or MP4 that looks the same in fewer bytes, without private metadata such as places and serial numbers. What the file says of its own origin, Content Credentials and AI labels included, is carried over, and checking the output gives the verdict of the source. Give exactly one source.

The work is done by a job: the answer has its id and status, and get_optimization reads it. Voice clips cannot be optimized.

Costs %s for an image, %s of video. For a video without seconds, credits for %d minutes are held and the real length is charged. A job that fails costs nothing.`,
			credits(p.ImageOptimize), started(p.VideoOptimize, p.VideoOptimizeSeconds), media.MaxSeconds/60),
		Annotations:  annotations(spends, reachesOut),
		OutputSchema: optimization(),
	}, nil, sources("image", "video").with(fields{
		"seconds":      seconds(),
		"callback_url": text("A public https address on port 443 that is told by a signed webhook when the job has ended. Leave it out unless the user runs such a receiver.").format("uri"),
		argKey:         idempotencyKey(),
	}), func(ctx context.Context, c call) (result, error) {
		return start(ctx, c, s.acts.Optimize, "The optimization has started. Call get_optimization with this id and wait_seconds %d to read it.")
	})
}

func (s *Server) getOptimization() tool {
	return newTool(sdk.Tool{
		Name: "get_optimization", Title: "Read an optimization",
		Description: fmt.Sprintf(`Reads an optimization that optimize_media started. status is queued, running, succeeded or failed; once it has succeeded, file_url is where anybody can download the file until expires_at, and optimization_score says how well it went; once it has failed, error says why. Costs nothing.

Give wait_seconds, up to %d, to wait for the end instead of asking again and again.`, maxWait),
		Annotations:  annotations(reads),
		OutputSchema: optimization(),
	}, []string{"id"}, fields{
		"id":    text("The id that optimize_media answered.").format("uuid"),
		argWait: waitSeconds(),
	}, func(ctx context.Context, c call) (result, error) {
		return s.readJob(ctx, c, "optimize_media", s.acts.ReadOptimization)
	})
}

func (s *Server) createUpload() tool {
	return newTool(sdk.Tool{
		Name: "create_upload", Title: "Upload a local file",
		Description:  `Makes a one-time ticket to upload a file that is on the user's machine, or an image too large for image_base64. Send the file's bytes to upload_url with the method and exactly the headers of the answer, for example: curl -X PUT -H "Content-Type: image/jpeg" -H "If-None-Match: *" --data-binary @photo.jpg "<upload_url>". Then give the id to check_media or optimize_media as image_upload_id, video_upload_id or audio_upload_id. An upload is read once. Costs nothing.`,
		Annotations:  annotations(makes),
		OutputSchema: ticket(),
	}, []string{"size", "content_type"}, fields{
		"size":         whole("The exact size of the file in bytes.").atLeast(1),
		"content_type": text("The media type of the file, such as image/jpeg, image/png, image/webp, image/heic, video/mp4, video/quicktime, video/webm, audio/mpeg, audio/wav or audio/mp4."),
		argKey:         idempotencyKey(),
	}, func(ctx context.Context, c call) (result, error) {
		post, err := c.arguments.post()
		if err != nil {
			return result{}, err
		}
		reply, err := s.acts.CreateUpload(ctx, post)
		return result{
			body: reply.Body, replayed: reply.Replayed,
			next: "Send the file to upload_url now, with exactly these headers. Then give the id to check_media or optimize_media.",
		}, err
	})
}

func (s *Server) getUsage() tool {
	return newTool(sdk.Tool{
		Name: "get_usage", Title: "Read credits and limits",
		Description:  "Tells the account's plan, its credits in the current period (granted, spent, held by work in progress, available, and when they are granted anew) and its limits. Costs nothing.",
		Annotations:  annotations(reads),
		OutputSchema: usageAnswer(),
	}, nil, fields{}, func(ctx context.Context, _ call) (result, error) {
		body, err := s.acts.ReadUsage(ctx)
		return result{body: body}, err
	})
}

// start does an act that answers a result, or the id of a job that it started; next says how to read that.
func start(ctx context.Context, c call, act func(context.Context, api.Call) (api.Reply, error), next string) (result, error) {
	post, err := c.arguments.post()
	if err != nil {
		return result{}, err
	}
	// A source may take minutes to arrive.
	stop := c.progress.run(ctx, "The file is on its way.", 0)
	reply, err := act(ctx, post)
	stop()
	if err != nil {
		return result{}, err
	}
	var job struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(reply.Body, &job); err != nil {
		return result{}, fmt.Errorf("read answer: %w", err)
	}
	r := result{body: reply.Body, replayed: reply.Replayed}
	if job.ID != "" {
		r.next = fmt.Sprintf(next, maxWait)
	}
	return r, nil
}

// readJob reads a job, and waits for its end when asked to.
func (s *Server) readJob(ctx context.Context, c call, starter string, read func(context.Context, string) ([]byte, error)) (result, error) {
	id, err := c.arguments.id(starter)
	if err != nil {
		return result{}, err
	}
	wait, err := c.arguments.wait()
	if err != nil {
		return result{}, err
	}
	body, status, err := s.await(ctx, c.progress, wait, func(ctx context.Context) ([]byte, error) { return read(ctx, id) })
	if err != nil {
		return result{}, err
	}
	r := result{body: body}
	if !ended(status) {
		r.next = fmt.Sprintf("The job is %s. Call again with wait_seconds %d.", status, maxWait)
	}
	return r, nil
}
