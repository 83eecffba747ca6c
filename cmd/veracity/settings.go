package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/account"
	"veracity/account/signin"
	"veracity/billing"
	"veracity/engine"
	"veracity/engine/c2pa/identity"
	"veracity/engine/serve"
	"veracity/jobs"
	"veracity/media"
	"veracity/platform/mail"
	"veracity/platform/postgres"
	"veracity/platform/safefetch"
	"veracity/platform/seal"
	"veracity/platform/storage"
	"veracity/usage"
	"veracity/webhook"
)

// Settings are all settings of the program. They come from flags, then VERACITY_* variables, then defaults.
type Settings struct {
	// Data is the folder of the embedded defaults.
	Data string
	// JSON asks for machine-readable output and logs.
	JSON bool

	Listen        string
	MetricsListen string
	BaseURL       string
	LogLevel      string
	SecretKey     string
	Optimize      string
	Shutdown      time.Duration
	Workers       bool

	Database postgres.Config
	Storage  storage.Config
	Fetch    safefetch.Config
	Media    media.Config
	Jobs     jobs.Config
	Webhooks webhook.Config
	Mail     mail.Config
	Usage    usage.Config
	SignIn   signin.Config
	Account  account.Config
	Portal   portalSettings
	Remote   remoteSettings
	Stripe   billing.Config
	Trust    trustSettings
	// Credentials say who signs optimized files.
	Credentials identity.Config
	// TrailKeep is how long the audit trail is kept.
	TrailKeep time.Duration
	Engine    engine.ClientConfig
	Serve     serve.Config
	// EngineScratch is where the engine's temporary files lie.
	EngineScratch string

	table    []setting
	getenv   func(string) string
	listener net.Listener
	// development marks a server for development, which shows its mails.
	development bool
	// payClock is the clock of a payment service for development; nil is the machine's.
	payClock func() time.Time
}

// setting is one line of the table of settings: a flag, its variable and where its value came from.
type setting struct {
	flag   *pflag.Flag
	env    string
	secret bool
	source string
}

// mask stands in for a secret in output.
const mask = "********"

// envPrefix starts the name of every variable that is read.
const envPrefix = "VERACITY_"

// envName is the variable of a flag: --database-url is VERACITY_DATABASE_URL.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// defaultSettings are the defaults, before anything was read.
func defaultSettings(getenv func(string) string) *Settings {
	return &Settings{
		Data: ".veracity", Listen: "127.0.0.1:8080", MetricsListen: "127.0.0.1:9464",
		LogLevel: "info", Optimize: "on", Shutdown: 30 * time.Second, Workers: true,
		Database: postgres.DefaultConfig(), Storage: storage.DefaultConfig(), Fetch: safefetch.DefaultConfig(),
		Media: media.DefaultConfig(), Jobs: jobs.DefaultConfig(), Webhooks: webhook.DefaultConfig(), Mail: mail.DefaultConfig(),
		Usage: usage.DefaultConfig(), SignIn: signin.DefaultConfig(), Account: account.DefaultConfig(), Stripe: billing.DefaultConfig(), TrailKeep: 400 * 24 * time.Hour,
		Trust:  trustSettings{Every: 24 * time.Hour},
		Engine: engine.DefaultClientConfig(), Serve: serve.DefaultConfig(0),
		getenv: getenv,
	}
}

// register declares every setting as a flag of cmd and its children. Only the common ones show in the help.
func (s *Settings) register(cmd *cobra.Command) {
	fs := cmd.PersistentFlags()
	fs.StringVar(&s.Data, "data", s.Data, "folder of the embedded database, storage and secrets")
	fs.BoolVar(&s.JSON, "json", s.JSON, "machine-readable output")
	s.registerServer(fs)
	s.registerParts(fs)
	s.registerPortal(fs)
	s.registerBilling(fs)
	s.registerRemote(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Name == "json" {
			return
		}
		f.Hidden = f.Name != "data"
		secret := slices.Contains(secretSettings, f.Name)
		s.table = append(s.table, setting{flag: f, env: envName(f.Name), secret: secret, source: "default"})
	})
}

func (s *Settings) registerServer(fs *pflag.FlagSet) {
	fs.StringVar(&s.Listen, "listen", s.Listen, "address of portal and API")
	fs.StringVar(&s.MetricsListen, "metrics-listen", s.MetricsListen, "private address of /metrics, or off")
	fs.StringVar(&s.BaseURL, "base-url", s.BaseURL, "address under which clients reach the service; default http://LISTEN")
	fs.StringVar(&s.LogLevel, "log-level", s.LogLevel, "debug, info, warn or error")
	fs.StringVar(&s.SecretKey, "secret-key", s.SecretKey, "id:base64 keys that seal secrets, comma-separated, the newest first")
	fs.StringVar(&s.Optimize, "optimize", s.Optimize, "switch of optimizations: on, or off, which pauses them")
	fs.DurationVar(&s.Shutdown, "shutdown-timeout", s.Shutdown, "how long requests may go on after SIGTERM")
	fs.BoolVar(&s.Workers, "workers", s.Workers, "run job workers in the serving process")
}

func (s *Settings) registerParts(fs *pflag.FlagSet) {
	fs.StringVar(&s.Database.URL, "database-url", "", "postgres:// address of the database")
	fs.Int32Var(&s.Database.MaxConns, "database-max-conns", s.Database.MaxConns, "most database connections of this process")
	fs.StringVar(&s.Storage.URL, "storage-url", "", "disk:DIR or s3://BUCKET?endpoint=URL&region=NAME")
	fs.StringVar(&s.Storage.AccessKey, "storage-access-key", "", "S3 access key; empty asks the AWS default chain")
	fs.StringVar(&s.Storage.SecretKey, "storage-secret-key", "", "S3 secret key")

	fs.StringSliceVar(&s.Fetch.Allow, "fetch-allow", nil, "host:port pairs that sources and callbacks may reach although private")
	fs.DurationVar(&s.Fetch.ConnectTimeout, "fetch-connect-timeout", s.Fetch.ConnectTimeout, "time to connect to a source")
	fs.DurationVar(&s.Fetch.IdleTimeout, "fetch-idle-timeout", s.Fetch.IdleTimeout, "time without a byte that ends a fetch")
	fs.IntVar(&s.Fetch.MaxRedirects, "fetch-redirects", s.Fetch.MaxRedirects, "redirects followed")
	fs.DurationVar(&s.Media.FetchTimeout, "image-fetch-timeout", s.Media.FetchTimeout, "whole time to fetch an image")
	fs.Int64Var(&s.Media.FetchesAtOnce, "fetches-at-once", s.Media.FetchesAtOnce, "fetches under way in this process")
	fs.DurationVar(&s.Media.UploadTTL, "upload-ttl", s.Media.UploadTTL, "how long an upload ticket works")
	fs.DurationVar(&s.Media.HoldTTL, "hold-ttl", s.Media.HoldTTL, "when the credits of a lost image check are given back")
	fs.StringVar(&s.Media.SpoolDir, "spool-dir", "", "folder of files on their way to the engine; default DATA/spool")

	fs.Int64Var(&s.Media.SpoolBytes, "spool-bytes", s.Media.SpoolBytes, "bytes of files of unknown length that wait there at once")
	fs.DurationVar(&s.Media.ClipFetchTimeout, "clip-fetch-timeout", s.Media.ClipFetchTimeout, "whole time to fetch a video or voice clip")
	fs.Int64Var(&s.Media.ClipFetchesAtOnce, "clip-fetches-at-once", s.Media.ClipFetchesAtOnce, "videos and voice clips under way in this process")
	s.registerJobs(fs)
	s.registerEngine(fs)
	s.registerMail(fs)
	s.registerModels(fs)
	s.registerTrust(fs)
	s.registerCredentials(fs)
}

func (s *Settings) registerJobs(fs *pflag.FlagSet) {
	fs.DurationVar(&s.Media.JobTime, "job-time", s.Media.JobTime, "how long a job may take from its start, retries included")
	fs.DurationVar(&s.Media.Lease, "job-lease", s.Media.Lease, "how long a worker may be silent before its job is taken up")
	fs.IntVar(&s.Media.Attempts, "job-attempts", s.Media.Attempts, "how often a job is begun before it fails")
	fs.DurationVar(&s.Media.RetryWait, "job-retry-wait", s.Media.RetryWait, "wait before a job's second attempt; it doubles")
	fs.DurationVar(&s.Media.ResultTTL, "result-ttl", s.Media.ResultTTL, "how long results stay readable from the end of their job")

	fs.StringSliceVar(&s.Jobs.Queues, "queues", s.Jobs.Queues, "queues that a worker works")
	fs.IntVar(&s.Jobs.ChecksAtOnce, "checks-at-once", s.Jobs.ChecksAtOnce, "video and voice checks at once")
	fs.IntVar(&s.Jobs.OptimizationsAtOnce, "optimizations-at-once", s.Jobs.OptimizationsAtOnce, "optimizations at once")
	fs.IntVar(&s.Jobs.WebhooksAtOnce, "webhooks-at-once", s.Jobs.WebhooksAtOnce, "webhooks sent at once")
	fs.IntVar(&s.Jobs.MaintenanceAtOnce, "maintenance-at-once", s.Jobs.MaintenanceAtOnce, "maintenance tasks at once")
	fs.DurationVar(&s.Jobs.JobTimeout, "job-timeout", s.Jobs.JobTimeout, "net below VERACITY_JOB_TIME: longest run of one attempt")
	fs.DurationVar(&s.Jobs.RescueAfter, "rescue-after", s.Jobs.RescueAfter, "when a lost queue row is handed to another worker")
	fs.DurationVar(&s.Jobs.TakeUpEvery, "take-up-every", s.Jobs.TakeUpEvery, "how often lost jobs are looked for")
	fs.DurationVar(&s.Jobs.TaskTimeout, "task-timeout", s.Jobs.TaskTimeout, "longest run of a maintenance task")
	fs.DurationVar(&s.Jobs.SoftStop, "soft-stop", s.Jobs.SoftStop, "how long jobs may go on after SIGTERM")
	fs.DurationVar(&s.Jobs.Poll, "poll", s.Jobs.Poll, "how often a queue is looked at unasked")

	fs.IntVar(&s.Webhooks.PerAccount, "webhooks-per-account", s.Webhooks.PerAccount, "webhooks of one account under way at once, in all processes")
	fs.DurationVar(&s.Webhooks.Timeout, "webhook-timeout", s.Webhooks.Timeout, "longest attempt at a webhook")
	fs.DurationSliceVar(&s.Webhooks.Retries, "webhook-retries", s.Webhooks.Retries, "waits before a webhook's second attempt, the third and so on")
	fs.DurationVar(&s.Webhooks.Keep, "webhook-keep", s.Webhooks.Keep, "how long deliveries stay readable")

	fs.IntVar(&s.Usage.Buffer, "request-log-buffer", s.Usage.Buffer, "requests that wait for the database to log them; more are dropped")
	fs.IntVar(&s.Usage.Batch, "request-log-batch", s.Usage.Batch, "requests logged at once")
	fs.DurationVar(&s.Usage.Every, "request-log-every", s.Usage.Every, "longest wait of a request before it is logged")
	fs.DurationVar(&s.Usage.Keep, "request-log-keep", s.Usage.Keep, "how long requests stay in the log, in whole months")
	fs.DurationVar(&s.Usage.KeepCounts, "usage-keep", s.Usage.KeepCounts, "how long usage by day stays readable")
}

// read applies the environment to every setting that no flag gave, and fills in what depends on others.
func (s *Settings) read(cmd *cobra.Command) error {
	for i := range s.table {
		t := &s.table[i]
		if f := cmd.Flags().Lookup(t.flag.Name); f != nil && f.Changed {
			t.source = "flag"
			continue
		}
		value := s.getenv(t.env)
		if value == "" {
			continue
		}
		if err := t.flag.Value.Set(value); err != nil {
			shown := value
			if t.secret {
				shown = mask
			}
			return usageError{fmt.Errorf("%s is %q: want a value of type %s", t.env, shown, t.flag.Value.Type())}
		}
		t.source = "environment"
	}
	return s.derive()
}

// isDefault tells whether nobody set a flag or its variable.
func (s *Settings) isDefault(flag string) bool {
	for _, t := range s.table {
		if t.flag.Name == flag {
			return t.source == "default"
		}
	}
	return true
}

// derive fills in the settings whose default depends on another.
func (s *Settings) derive() error {
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	s.Data = data
	if s.BaseURL == "" {
		s.BaseURL = "http://" + s.Listen // bind makes it what clients reach
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	s.Storage.PublicURL, s.Media.BaseURL = s.BaseURL, s.BaseURL
	s.Media.Optimize = s.Optimize == "on"
	sized := serve.DefaultConfig(s.Serve.Cores)
	if s.isDefault("engine-queue") {
		s.Serve.Queue = sized.Queue
	}
	if s.isDefault("engine-jobs") {
		s.Serve.Jobs = sized.Jobs
	}
	if s.isDefault("engine-memory") {
		s.Serve.MemoryBytes = serve.DefaultMemory(s.Serve.Cores, s.Serve.Jobs)
	}
	s.Webhooks.AtOnce = s.Jobs.WebhooksAtOnce
	s.Engine.JobAdmission = s.Serve.JobQueueWait + admissionMargin
	if s.EngineScratch == "" {
		s.EngineScratch = filepath.Join(s.Data, "engine")
	}
	if s.Media.SpoolDir == "" {
		s.Media.SpoolDir = filepath.Join(s.Data, "spool")
	}
	if err := s.deriveTrust(); err != nil {
		return err
	}
	if err := s.deriveModels(); err != nil {
		return err
	}
	return s.validate()
}

// admissionMargin is how much longer a client waits for a job's place than the engine lets it wait.
const admissionMargin = 30 * time.Second

// ring reads the keys that seal secrets.
func (s *Settings) ring() (*seal.Ring, error) {
	if s.SecretKey == "" {
		return nil, usageError{errors.New("VERACITY_SECRET_KEY is not set: give the service's own, or for a new service id:KEY with a KEY of `openssl rand -base64 32`")}
	}
	ring, err := seal.Parse(s.SecretKey)
	if err != nil {
		return nil, usageError{fmt.Errorf("VERACITY_SECRET_KEY: %w", err)}
	}
	return ring, nil
}

func (s *Settings) validate() error {
	u, err := url.Parse(s.BaseURL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return usageError{fmt.Errorf("VERACITY_BASE_URL is %q: want http://HOST or https://HOST", s.BaseURL)}
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, s.LogLevel):
		return usageError{fmt.Errorf("VERACITY_LOG_LEVEL is %q: allowed are debug, info, warn, error", s.LogLevel)}
	case s.Optimize != "on" && s.Optimize != "off":
		return usageError{fmt.Errorf("VERACITY_OPTIMIZE is %q: allowed are on and off", s.Optimize)}
	case s.Jobs.JobTimeout <= s.Media.JobTime:
		return usageError{fmt.Errorf("VERACITY_JOB_TIMEOUT is %s: it must be longer than VERACITY_JOB_TIME (%s)", s.Jobs.JobTimeout, s.Media.JobTime)}
	case s.Shutdown < 0 || s.Shutdown > 10*time.Minute:
		return usageError{fmt.Errorf("VERACITY_SHUTDOWN_TIMEOUT is %s: allowed are 0s to 10m", s.Shutdown)}
	}
	for _, check := range []func() error{s.validateMail, s.Fetch.Validate, s.Media.Validate, s.Jobs.Validate, s.Webhooks.Validate, s.Usage.Validate, s.Account.Validate, s.validatePortal, s.Stripe.Validate, s.Credentials.Validate} {
		if err := check(); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// inForce is one line of `veracity config`.
type inForce struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
	Help   string `json:"help"`
}

// list gives every setting as it is in force, secrets masked.
func (s *Settings) list() []inForce {
	lines := make([]inForce, len(s.table))
	for i, t := range s.table {
		value := t.flag.Value.String()
		switch {
		case t.flag.Name == "database-url" && value != "":
			value = postgres.Redacted(value)
		case t.flag.Name == "mail-url":
			value = mail.Redacted(value)
		case t.secret && value != "":
			value = mask
		}
		lines[i] = inForce{Name: t.env, Value: value, Source: t.source, Help: t.flag.Usage}
	}
	return lines
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func toJSON(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "{}"
	}
	return string(b)
}
