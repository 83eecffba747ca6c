package media

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// optimizationsSwitch names the switch's row. A switch that nobody has touched has no row and is on.
const optimizationsSwitch = "optimizations"

// switchAge is how old the known position of a switch may be: how long another process takes to heed a change.
const switchAge = 2 * time.Second

// maxReason is the longest reason for a change of a switch, in characters.
const maxReason = 200

// Switches are what operators turn on and off while the service runs. Every process reads them from the database. It is
// safe for concurrent use.
type Switches struct {
	DB *pgxpool.Pool

	seen atomic.Pointer[seenSwitch]
}

type seenSwitch struct {
	on bool
	at time.Time
}

// Switch is where a switch stands, and who put it there.
type Switch struct {
	On bool
	// ChangedBy is a person's e-mail address or cli. It, Reason and ChangedAt are empty while nobody has touched the switch.
	ChangedBy string
	Reason    string
	ChangedAt *time.Time
	// Fixed tells that the settings pause optimizations whatever the switch says.
	Fixed bool
}

// Optimizations tells whether optimizations are on. The answer is at most two seconds old.
func (s *Switches) Optimizations(ctx context.Context) (bool, error) {
	if seen := s.seen.Load(); seen != nil && time.Since(seen.at) < switchAge {
		return seen.on, nil
	}
	asked := time.Now()
	now, err := s.read(ctx)
	if err != nil {
		return false, err
	}
	s.seen.Store(&seenSwitch{on: now.On, at: asked})
	return now.On, nil
}

func (s *Switches) read(ctx context.Context) (Switch, error) {
	var at time.Time
	found := Switch{On: true}
	err := s.DB.QueryRow(ctx, `SELECT is_on, changed_by, reason, changed_at FROM switch WHERE name = @name`,
		pgx.NamedArgs{"name": optimizationsSwitch}).Scan(&found.On, &found.ChangedBy, &found.Reason, &at)
	if isNoRows(err) {
		return found, nil
	}
	if err != nil {
		return Switch{}, fmt.Errorf("read switch: %w", err)
	}
	found.ChangedAt = &at
	return found, nil
}

// SetOptimizations turns optimizations on or off in every process within two seconds. The reason, 1 to 200 characters,
// is kept with it. Refusals: forbidden without the right [access.Operate], invalid_input.
func (s *Switches) SetOptimizations(ctx context.Context, by access.Actor, on bool, reason string) error {
	if err := by.May(access.Operate); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n < 1 || n > maxReason || !utf8.ValidString(reason) || strings.Contains(reason, "\x00") {
		return fault.New(fault.InvalidInput, "Say in 1 to %d characters why the switch is changed.", maxReason)
	}
	err := postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO switch (name, is_on, changed_by, reason)
			VALUES (@name, @on, coalesce((SELECT email FROM app_user WHERE id = @user), @kind), @reason)
			ON CONFLICT (name) DO UPDATE
				SET is_on = excluded.is_on, changed_by = excluded.changed_by, reason = excluded.reason, changed_at = now()`,
			pgx.NamedArgs{"name": optimizationsSwitch, "on": on, "user": by.User, "kind": by.Kind(), "reason": reason})
		if err != nil {
			return fmt.Errorf("save switch: %w", err)
		}
		return trail.Write(ctx, tx, by, "switch.changed", optimizationsSwitch,
			map[string]string{"on": strconv.FormatBool(on), "reason": reason})
	})
	if err != nil {
		return err
	}
	s.seen.Store(nil)
	return nil
}

// OptimizeSwitch is where the switch of optimizations stands, for the operator. Refusal: forbidden.
func (s *Service) OptimizeSwitch(ctx context.Context, by access.Actor) (Switch, error) {
	if err := by.May(access.Operate); err != nil {
		return Switch{}, err
	}
	found, err := s.switches.read(ctx)
	found.Fixed = !s.cfg.Optimize
	return found, err
}

// SetOptimizations is [Switches.SetOptimizations].
func (s *Service) SetOptimizations(ctx context.Context, by access.Actor, on bool, reason string) error {
	return s.switches.SetOptimizations(ctx, by, on, reason)
}

// mayOptimize is nil unless the settings or the operator's switch pause optimizations.
func (s *Service) mayOptimize(ctx context.Context) error {
	on := s.cfg.Optimize
	if on {
		var err error
		if on, err = s.switches.Optimizations(ctx); err != nil {
			return err
		}
	}
	if !on {
		return fault.New(fault.OptimizationsDisabled, "Optimizing is paused on this server. Checks work.").WithRetryAfter(optimizeRetry)
	}
	return nil
}
