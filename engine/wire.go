package engine

import (
	"encoding/json"
	"math"
	"time"

	"veracity/platform/fault"
)

// The engine's own protocol: HTTP/1.1. A check is one POST of the file's bytes with their exact Content-Length. The
// engine admits before it reads: it sends 100 Continue once a check has its place, and refuses before that.
const (
	// PathCheckImage answers a Report.
	PathCheckImage = "/v1/check/image"
	// PathAlive answers 200 while the process runs.
	PathAlive = "/healthz"
	// PathReady answers a State: 200 when checks are taken, else 503.
	PathReady = "/readyz"
	// HeaderRegion names the region that the caller means to reach.
	HeaderRegion = "Veracity-Engine-Region"
)

// State is what the engine says of itself.
type State struct {
	Ready bool `json:"ready"`
	// Reason says why checks are not taken, "" when they are.
	Reason string `json:"reason,omitempty"`
	// Slots is how many checks run at once; Running and Queued how many do and wait now.
	Slots   int `json:"slots"`
	Running int `json:"running"`
	Queued  int `json:"queued"`
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
		fault.TooManyPixels, fault.UnsupportedMedia, fault.ImageTooLarge, fault.InvalidImage, fault.EngineError:
	default:
		return errBadAnswer("code " + string(r.Code))
	}
	f := fault.New(r.Code, "%s", r.Message).WithRetryAfter(time.Duration(r.RetryAfter) * time.Second)
	if len(r.Detail) > 0 {
		f = f.WithDetail(r.Detail)
	}
	return f
}
