// Package usage keeps what was asked of the service and how it was answered: a line for every request, and the counts by
// day, key and call that the portal shows. Lines are written behind the requests, never before their answers. Credits
// are not counted here: they are read from the captured holds of package quota, so that usage and ledger cannot differ.
// No body, no address of a source and no secret belongs here.
package usage

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Entry is one answered request of an account.
type Entry struct {
	// ID is the Request-Id of the answer.
	ID uuid.UUID
	// At is when the request began.
	At      time.Time
	Account uuid.UUID
	// Key is nil for the playground.
	Key    uuid.UUID
	Method string
	// Route is the pattern below the API's prefix, such as /audit/{id}; never the path itself, which has ids in it.
	Route string
	// Status is the answer's HTTP status, 499 when the caller hung up before it.
	Status int
	// Code is the error code of a refusal or failure, else [OK].
	Code string
	// Verdict is that of an image check which this very request made, else "".
	Verdict string
	// Credits is what the call charged. A job is charged when it ends, so its start has 0.
	Credits int64
	Took    time.Duration
}

// OK is the code of a request that was answered as asked.
const OK = "ok"

// Call names what was called as the docs do: POST /audit.
func (e Entry) Call() string { return e.Method + " " + e.Route }

// Calls that cost credits.
const (
	Audit    = "POST /audit"
	Optimize = "POST /optimize"
)

// Counts are requests and verdicts, and the credits that were charged.
type Counts struct {
	Requests int64
	// Refused are answers with a 4xx status, Failed those with a 5xx and those that broke off.
	Refused int64
	Failed  int64
	// Verdicts of checks of all media. A video or voice clip counts on the day on which its check ended.
	AI          int64
	Real        int64
	Uncertain   int64
	Unavailable int64
	// Credits are those of calls whose charge fell due in the time asked for.
	Credits int64
}

// Verdicts is how many checks came to a verdict, unavailable included.
func (c Counts) Verdicts() int64 { return c.AI + c.Real + c.Uncertain + c.Unavailable }

// Plus adds two counts up.
func (c Counts) Plus(o Counts) Counts {
	return Counts{
		Requests: c.Requests + o.Requests, Refused: c.Refused + o.Refused, Failed: c.Failed + o.Failed,
		AI: c.AI + o.AI, Real: c.Real + o.Real, Uncertain: c.Uncertain + o.Uncertain, Unavailable: c.Unavailable + o.Unavailable,
		Credits: c.Credits + o.Credits,
	}
}

// Config are the settings of the request log.
type Config struct {
	// Buffer is how many entries wait for the database at most; what does not fit is dropped and counted.
	Buffer int
	// Batch is how many entries are written at once, Every how long the first of them waits at most.
	Batch int
	Every time.Duration
	// Keep is how long a request stays in the log, KeepCounts how long the counts by day do.
	Keep       time.Duration
	KeepCounts time.Duration
}

const day = 24 * time.Hour

// MaxRange is the longest range of days that the reads are asked for; counts are kept longer than that.
const MaxRange = 90

// DefaultConfig is the product's defaults.
func DefaultConfig() Config {
	return Config{Buffer: 20_000, Batch: 1_000, Every: 500 * time.Millisecond, Keep: 90 * day, KeepCounts: 400 * day}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Batch < 1 || c.Batch > 10_000:
		return fmt.Errorf("VERACITY_REQUEST_LOG_BATCH is %d: allowed are 1 to 10000", c.Batch)
	case c.Buffer <= c.Batch || c.Buffer > 1_000_000:
		return fmt.Errorf("VERACITY_REQUEST_LOG_BUFFER is %d: allowed are more than VERACITY_REQUEST_LOG_BATCH (%d) to 1000000", c.Buffer, c.Batch)
	case c.Every < 10*time.Millisecond || c.Every > time.Minute:
		return fmt.Errorf("VERACITY_REQUEST_LOG_EVERY is %s: allowed are 10ms to 1m", c.Every)
	case c.Keep < day || c.Keep > 10*365*day:
		return fmt.Errorf("VERACITY_REQUEST_LOG_KEEP is %s: allowed are 24h to 87600h", c.Keep)
	case c.KeepCounts < (MaxRange+10)*day || c.KeepCounts > 10*365*day:
		return fmt.Errorf("VERACITY_USAGE_KEEP is %s: allowed are %s to 87600h", c.KeepCounts, (MaxRange+10)*day)
	}
	return nil
}

// Classes of HTTP statuses (RFC 9110, section 15).
const (
	firstRefusal = 400
	firstFailure = 500
)

// Failed tells whether a request ended by a fault of ours: with a 5xx, or an answer that broke off after a good status.
func Failed(status int, code string) bool {
	return status >= firstFailure || (status < firstRefusal && code != OK)
}

// counts is what one entry adds.
func (e Entry) counts() Counts {
	c := Counts{Requests: 1}
	switch {
	case Failed(e.Status, e.Code):
		c.Failed = 1
	case e.Status >= firstRefusal:
		c.Refused = 1
	}
	c.count(e.Verdict)
	return c
}

// count adds a verdict; "" and words that are no verdict add nothing.
func (c *Counts) count(verdict string) {
	switch verdict {
	case "ai":
		c.AI++
	case "real":
		c.Real++
	case "uncertain":
		c.Uncertain++
	case "unavailable":
		c.Unavailable++
	}
}
