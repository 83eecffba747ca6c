package engine

import (
	"encoding/json"
	"math"
	"time"

	"veracity/platform/fault"
)

// The engine's own protocol: HTTP/1.1. A check is one POST of the file's bytes with their exact Content-Length. The
// engine admits before it reads: it sends 100 Continue once a check has its place, and refuses before that.
//
// Clips and renderings are jobs. Once the engine holds the whole file it answers 200 with lines of JSON, each a JobLine:
// progress now and then, at least every few seconds while the job runs, and last the report, what was rendered or a
// refusal. Exactly Rendered.Bytes bytes of the output follow the line that tells of it.
const (
	// PathCheckImage answers a Report.
	PathCheckImage = "/v1/check/image"
	// PathAcceptImage answers a File.
	PathAcceptImage = "/v1/accept/image"
	// PathCheckClip and PathRender answer JobLines. Both take ParamMedia, and for clips ParamMaxSeconds, in the query.
	PathCheckClip = "/v1/check/clip"
	PathRender    = "/v1/render"
	// PathAlive answers 200 while the process runs.
	PathAlive = "/healthz"
	// PathReady answers a State: 200 when checks are taken, else 503.
	PathReady = "/readyz"
	// HeaderRegion names the region that the caller means to reach.
	HeaderRegion = "Veracity-Engine-Region"
	// ParamMedia is the Media that the caller takes the file for, ParamMaxSeconds the longest clip that is taken: a decimal
	// number over 0 and at most MaxClipSeconds.
	ParamMedia      = "media"
	ParamMaxSeconds = "max_seconds"
	// ParamSign has a rendering carry Content Credentials: how many bytes their signature takes, 1 to MaxSignature.
	ParamSign = "sign"
	// JobContentType is the media type of a job's answer.
	JobContentType = "application/x-ndjson"
)

// JobLine is one line of a job's answer. Exactly one of its parts is set.
type JobLine struct {
	// Progress is how much of the work is done, 0 to 1.
	Progress *float64  `json:"progress,omitempty"`
	Report   *Report   `json:"report,omitempty"`
	Rendered *Rendered `json:"rendered,omitempty"`
	Refusal  *Refusal  `json:"refusal,omitempty"`
}

// State is what the engine says of itself.
type State struct {
	Ready bool `json:"ready"`
	// Reason says why checks are not taken, "" when they are.
	Reason string `json:"reason,omitempty"`
	// Code is model_unavailable when that is for want of a model: checks are refused, all else is done. Else it is "".
	Code fault.Code `json:"code,omitempty"`
	// Slots is how many checks run at once; Running and Queued how many do and wait now.
	Slots   int `json:"slots"`
	Running int `json:"running"`
	Queued  int `json:"queued"`
	// JobSlots, JobsRunning and JobsQueued are the same of jobs.
	JobSlots    int `json:"job_slots"`
	JobsRunning int `json:"jobs_running"`
	JobsQueued  int `json:"jobs_queued"`
	// ScratchFree is how many bytes of the engine's scratch budget no job has reserved.
	ScratchFree int64 `json:"scratch_free"`
	// Models maps each lane that reads with a model to that model's state.
	Models map[string]string `json:"models"`
	// Sandbox maps each part of the lock to "on", "off" or its value.
	Sandbox map[string]string `json:"sandbox"`
}

// Refusal is a fault on its way from the engine to its caller.
type Refusal struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	// Detail is the JSON of the fault's detail, left out when there is none.
	Detail json.RawMessage `json:"detail,omitempty"`
	// RetryAfter is whole seconds, 0 where waiting is not the answer.
	RetryAfter int `json:"retry_after,omitempty"`
}

// NewRefusal writes a fault down, without its cause.
func NewRefusal(f *fault.Fault) (Refusal, error) {
	r := Refusal{Code: f.Code, Message: f.Message, RetryAfter: int(math.Ceil(f.RetryAfter.Seconds()))}
	if f.Detail == nil {
		return r, nil
	}
	detail, err := json.Marshal(f.Detail)
	r.Detail = detail
	return r, err
}

// Fault turns a refusal back. A code that no engine answers becomes engine_error.
func (r Refusal) Fault() *fault.Fault {
	switch r.Code {
	case fault.EngineUnavailable, fault.ModelUnavailable, fault.EngineCredentialsMissing, fault.EngineRegionMissing,
		fault.TooManyPixels, fault.UnsupportedMedia, fault.ImageTooLarge, fault.InvalidImage, fault.EngineError,
		fault.VideoTooLarge, fault.VideoTooLong, fault.VideoUnsupported,
		fault.AudioTooLarge, fault.AudioTooLong, fault.AudioUnsupported, fault.Stage1Failed,
		// The engine refused the request itself: a fault on our side, which the contract gives this code.
		fault.InvalidParameter:
	default:
		return errBadAnswer("code " + string(r.Code))
	}
	f := fault.New(r.Code, "%s", r.Message).WithRetryAfter(time.Duration(r.RetryAfter) * time.Second)
	if len(r.Detail) > 0 {
		f = f.WithDetail(r.Detail)
	}
	return f
}
