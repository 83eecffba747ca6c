package engine

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"veracity/platform/fault"
)

// MaxImageBytes is the largest image that the engine reads: 25 MB, as the API contract says.
const MaxImageBytes = 26_214_400

// ClientConfig says where the engine is. Exactly one of Socket and URL is set.
type ClientConfig struct {
	// Socket is the path of the unix socket of an engine on this machine.
	Socket string
	// URL is the address of an engine on a machine of its own: http or https, host and port. A proxy between may pass on
	// bodies only after the engine's own 100 Continue, else uploads are used up by refused checks.
	URL string
	// Token is the engine's bearer token, needed with URL. Without it each call answers engine_credentials_missing.
	Token string
	// Region is the engine's region, needed with URL. Without it each call answers engine_region_missing.
	Region string
	// Connect bounds the making of a connection.
	Connect time.Duration
	// Timeout bounds a whole check: waiting in the engine's queue, sending, checking, answering.
	Timeout time.Duration
	// ReadyTimeout bounds a question after the engine's state.
	ReadyTimeout time.Duration
	// JobAdmission bounds a job's wait for its place; it is to be longer than the engine's own JobQueueWait.
	JobAdmission time.Duration
	// JobSilence is how long an engine that has admitted a job may give no sign of life: read none of the file, send no
	// line, send none of the output. Jobs have no other bound than their context.
	JobSilence time.Duration
}

// DefaultClientConfig is a client without an address.
func DefaultClientConfig() ClientConfig {
	return ClientConfig{
		Connect: 2 * time.Second, Timeout: time.Minute, ReadyTimeout: 2 * time.Second,
		JobAdmission: time.Minute, JobSilence: 30 * time.Second,
	}
}

// Validate names the field that is wrong. A missing Token or Region passes: it is answered per call, as the API contract
// names faults for both.
func (c ClientConfig) Validate() error {
	if (c.Socket == "") == (c.URL == "") {
		return fmt.Errorf("engine client: Socket is %q and URL is %q: exactly one is needed", c.Socket, c.URL)
	}
	if c.URL != "" {
		if err := validateURL(c.URL); err != nil {
			return err
		}
	}
	for name, d := range map[string]time.Duration{
		"Connect": c.Connect, "Timeout": c.Timeout, "ReadyTimeout": c.ReadyTimeout,
		"JobAdmission": c.JobAdmission, "JobSilence": c.JobSilence,
	} {
		if d <= 0 {
			return fmt.Errorf("engine client: %s is %s: a positive duration is needed", name, d)
		}
	}
	return nil
}

func validateURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("engine client: URL (VERACITY_ENGINE_URL) cannot be read: http://HOST:PORT or https://HOST:PORT is needed")
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || bare.String() != strings.TrimSuffix(text, "/") {
		return fmt.Errorf("engine client: URL (VERACITY_ENGINE_URL) is %q: http://HOST:PORT or https://HOST:PORT is needed",
			u.Redacted())
	}
	return nil
}

// incomplete is the fault that an engine's address without its credentials or region brings about, or nil.
func (c ClientConfig) incomplete() *fault.Fault {
	switch {
	case c.URL != "" && c.Token == "":
		return fault.New(fault.EngineCredentialsMissing, "The service is not set up: its engine's token is missing.")
	case c.URL != "" && c.Region == "":
		return fault.New(fault.EngineRegionMissing, "The service is not set up: its engine's region is missing.")
	}
	return nil
}
