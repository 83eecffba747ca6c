package media

import (
	"fmt"
	"time"
)

// Limits of a file by the way it is sent (API contract, "Limits"). A MB is 2^20 bytes, a GB 2^30.
const (
	MaxImageBytes  int64 = 25 << 20
	MaxBase64Bytes int64 = 4 << 20
	MaxVideoBytes  int64 = 1 << 30
	MaxAudioBytes  int64 = 1 << 30
	// MaxSeconds is the longest video or voice clip.
	MaxSeconds = 180
)

// Config are the settings of the acts.
type Config struct {
	// BaseURL is where clients reach the service; download links begin with it.
	BaseURL string
	// SpoolDir is where a fetched file waits for the engine; it is removed from the folder while still open. SpoolBytes
	// bounds what lies there at once.
	SpoolDir   string
	SpoolBytes int64
	// FetchTimeout bounds the fetch of an image URL as a whole, ClipFetchTimeout that of a video or voice clip.
	FetchTimeout     time.Duration
	ClipFetchTimeout time.Duration
	// FetchesAtOnce bounds the fetches under way in this process; one account has at most a quarter of them.
	FetchesAtOnce int64
	// ClipFetchesAtOnce is the same for videos and voice clips, which take minutes and some 10 MB of memory each.
	ClipFetchesAtOnce int64
	// UploadTTL is how long an upload ticket works.
	UploadTTL time.Duration
	// HoldTTL is when the credits of an image check are given back although nobody ended the hold. It must be longer
	// than the longest check.
	HoldTTL time.Duration
	// Optimize is the operator's switch: without it POST /optimize answers optimizations_disabled.
	Optimize bool
	// JobTime is how long a job may take from its start, retries included, before it fails with job_timeout.
	JobTime time.Duration
	// Lease is how long a worker may go without a sign of life before its job is taken up by another.
	Lease time.Duration
	// Attempts is how often a job is begun before it fails for good; refusals of a full engine do not count.
	Attempts int
	// RetryWait is the wait before the second attempt; it doubles with each.
	RetryWait time.Duration
	// ResultTTL is how long a result stays readable from the end of its job.
	ResultTTL time.Duration
	// Prices are the credit prices.
	Prices Prices
}

// DefaultConfig is the product's defaults, but for BaseURL.
func DefaultConfig() Config {
	return Config{
		SpoolDir: "spool", SpoolBytes: 8 << 30,
		FetchTimeout: 20 * time.Second, ClipFetchTimeout: 300 * time.Second, FetchesAtOnce: 64, ClipFetchesAtOnce: 32,
		UploadTTL: time.Hour, HoldTTL: 5 * time.Minute,
		Optimize: true, JobTime: 30 * time.Minute, Lease: 45 * time.Second, Attempts: 5, RetryWait: 2 * time.Second,
		ResultTTL: 7 * 24 * time.Hour,
		Prices:    DefaultPrices(),
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.SpoolDir == "":
		return fmt.Errorf("VERACITY_SPOOL_DIR is empty: name a folder")
	case c.SpoolBytes < MaxVideoBytes:
		return fmt.Errorf("VERACITY_SPOOL_BYTES is %d: allowed are numbers from %d, one largest file", c.SpoolBytes, MaxVideoBytes)
	case c.FetchTimeout < time.Second || c.FetchTimeout > 10*time.Minute:
		return fmt.Errorf("VERACITY_IMAGE_FETCH_TIMEOUT is %s: allowed are 1s to 10m", c.FetchTimeout)
	case c.ClipFetchTimeout < time.Second || c.ClipFetchTimeout > time.Hour:
		return fmt.Errorf("VERACITY_CLIP_FETCH_TIMEOUT is %s: allowed are 1s to 1h", c.ClipFetchTimeout)
	case c.FetchesAtOnce < 1 || c.FetchesAtOnce > 10_000:
		return fmt.Errorf("VERACITY_FETCHES_AT_ONCE is %d: allowed are 1 to 10000", c.FetchesAtOnce)
	case c.ClipFetchesAtOnce < 1 || c.ClipFetchesAtOnce > 1000:
		return fmt.Errorf("VERACITY_CLIP_FETCHES_AT_ONCE is %d: allowed are 1 to 1000", c.ClipFetchesAtOnce)
	case c.UploadTTL < time.Minute || c.UploadTTL > 7*24*time.Hour:
		return fmt.Errorf("VERACITY_UPLOAD_TTL is %s: allowed are 1m to 168h", c.UploadTTL)
	case c.HoldTTL < c.FetchTimeout+2*time.Minute || c.HoldTTL > 24*time.Hour:
		return fmt.Errorf("VERACITY_HOLD_TTL is %s: allowed are 2m more than VERACITY_IMAGE_FETCH_TIMEOUT (%s) to 24h", c.HoldTTL, c.FetchTimeout)
	}
	if err := c.validateJobs(); err != nil {
		return err
	}
	return c.Prices.Validate()
}

func (c Config) validateJobs() error {
	switch {
	case c.JobTime < time.Second || c.JobTime > 24*time.Hour:
		return fmt.Errorf("VERACITY_JOB_TIME is %s: allowed are 1s to 24h", c.JobTime)
	case c.Lease < time.Second || c.Lease > 10*time.Minute:
		return fmt.Errorf("VERACITY_JOB_LEASE is %s: allowed are 1s to 10m", c.Lease)
	case c.Attempts < 1 || c.Attempts > 100:
		return fmt.Errorf("VERACITY_JOB_ATTEMPTS is %d: allowed are 1 to 100", c.Attempts)
	case c.RetryWait < 10*time.Millisecond || c.RetryWait > 10*time.Minute:
		return fmt.Errorf("VERACITY_JOB_RETRY_WAIT is %s: allowed are 10ms to 10m", c.RetryWait)
	case c.ResultTTL < time.Second || c.ResultTTL > 10*365*24*time.Hour:
		return fmt.Errorf("VERACITY_RESULT_TTL is %s: allowed are 1s to 87600h", c.ResultTTL)
	}
	return nil
}
