package jobs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The queues. Each has workers of its own number, so that long optimizations keep no webhook waiting.
const (
	QueueCheck       = "check"
	QueueOptimize    = "optimize"
	QueueWebhook     = "webhook"
	QueueLetter      = "letter"
	QueueBilling     = "billing"
	QueueMaintenance = "maintenance"
)

// Queues are the names that a worker can be told to work.
func Queues() []string {
	return []string{QueueCheck, QueueOptimize, QueueWebhook, QueueLetter, QueueBilling, QueueMaintenance}
}

// Config are the settings of a worker.
type Config struct {
	// Queues are the queues that this process works.
	Queues []string
	// ChecksAtOnce and the others are how many jobs of each queue this process runs at once.
	ChecksAtOnce, OptimizationsAtOnce, WebhooksAtOnce, LettersAtOnce, BillingAtOnce, MaintenanceAtOnce int
	// JobTimeout ends an attempt at a check or an optimization that runs longer. It lies over the time that a job may take
	// in all, which ends the work first and says so; this is the net below.
	JobTimeout time.Duration
	// RescueAfter is when River hands the row of a lost worker to another. It must be longer than JobTimeout. Jobs do not
	// wait for it: their own leases end much sooner, and the take-up task queues them anew.
	RescueAfter time.Duration
	// TakeUpEvery is how often lost jobs and overdue webhooks are looked for.
	TakeUpEvery time.Duration
	// TaskTimeout ends a maintenance task that runs longer.
	TaskTimeout time.Duration
	// SoftStop is how long running jobs may go on once the process is told to stop. What runs longer is given back and
	// taken up by another worker.
	SoftStop time.Duration
	// Poll is how often a queue is asked for jobs without having been told of one.
	Poll time.Duration
}

// DefaultConfig is the product's defaults.
func DefaultConfig() Config {
	return Config{
		Queues:       Queues(),
		ChecksAtOnce: 2, OptimizationsAtOnce: 2, WebhooksAtOnce: 20, LettersAtOnce: 4, BillingAtOnce: 4, MaintenanceAtOnce: 2,
		JobTimeout: 32 * time.Minute, RescueAfter: 40 * time.Minute, TakeUpEvery: 30 * time.Second,
		TaskTimeout: 2 * time.Minute, SoftStop: 20 * time.Second, Poll: time.Second,
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	for _, q := range c.Queues {
		if !slices.Contains(Queues(), q) {
			return fmt.Errorf("VERACITY_QUEUES names the queue %q: allowed are %s", q, strings.Join(Queues(), ", "))
		}
	}
	if len(c.Queues) == 0 {
		return fmt.Errorf("VERACITY_QUEUES is empty: name at least one of %s", strings.Join(Queues(), ", "))
	}
	for _, n := range []struct {
		name   string
		atOnce int
	}{
		{"VERACITY_CHECKS_AT_ONCE", c.ChecksAtOnce},
		{"VERACITY_OPTIMIZATIONS_AT_ONCE", c.OptimizationsAtOnce},
		{"VERACITY_WEBHOOKS_AT_ONCE", c.WebhooksAtOnce},
		{"VERACITY_LETTERS_AT_ONCE", c.LettersAtOnce},
		{"VERACITY_BILLING_AT_ONCE", c.BillingAtOnce},
		{"VERACITY_MAINTENANCE_AT_ONCE", c.MaintenanceAtOnce},
	} {
		if n.atOnce < 1 || n.atOnce > 1000 {
			return fmt.Errorf("%s is %d: allowed are 1 to 1000", n.name, n.atOnce)
		}
	}
	return c.validateTimes()
}

func (c Config) validateTimes() error {
	switch {
	case c.JobTimeout < time.Second:
		return fmt.Errorf("VERACITY_JOB_TIMEOUT is %s: allowed are times from 1s", c.JobTimeout)
	case c.TaskTimeout < time.Second || c.TaskTimeout > c.JobTimeout:
		return fmt.Errorf("VERACITY_TASK_TIMEOUT is %s: allowed are 1s to VERACITY_JOB_TIMEOUT (%s)", c.TaskTimeout, c.JobTimeout)
	case c.RescueAfter <= c.JobTimeout:
		return fmt.Errorf("VERACITY_RESCUE_AFTER is %s: it must be longer than VERACITY_JOB_TIMEOUT (%s)", c.RescueAfter, c.JobTimeout)
	case c.TakeUpEvery < time.Second || c.TakeUpEvery > time.Hour:
		return fmt.Errorf("VERACITY_TAKE_UP_EVERY is %s: allowed are 1s to 1h", c.TakeUpEvery)
	case c.SoftStop < 0 || c.SoftStop > 10*time.Minute:
		return fmt.Errorf("VERACITY_SOFT_STOP is %s: allowed are 0s to 10m", c.SoftStop)
	case c.Poll < 100*time.Millisecond || c.Poll > time.Minute:
		return fmt.Errorf("VERACITY_POLL is %s: allowed are 100ms to 1m", c.Poll)
	}
	return nil
}

// atOnce is how many jobs of a queue run at once.
func (c Config) atOnce(queue string) int {
	switch queue {
	case QueueCheck:
		return c.ChecksAtOnce
	case QueueOptimize:
		return c.OptimizationsAtOnce
	case QueueWebhook:
		return c.WebhooksAtOnce
	case QueueLetter:
		return c.LettersAtOnce
	case QueueBilling:
		return c.BillingAtOnce
	}
	return c.MaintenanceAtOnce
}
