package signin

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Forget deletes what is of no use any more: links a day after their end, sign-ups and e-mail changes after a week,
// sign-ins that ended or can last no longer, sessions of browsers that have run out, and tries that count no more. It says how many rows went, and is safe to run
// at any time.
func (p *People) Forget(ctx context.Context) (int64, error) {
	var gone int64
	for _, sql := range []string{
		`DELETE FROM mail_token WHERE expires_at < now() - interval '1 day'`,
		`DELETE FROM sign_up WHERE created_at < now() - greatest(3 * @sign_up::interval, interval '7 days')`,
		`DELETE FROM email_change WHERE created_at < now() - greatest(2 * @email_change::interval, interval '7 days')`,
		`DELETE FROM sign_in WHERE ended_at < now() - interval '1 day' OR created_at < now() - @max::interval
		                        OR seen_at < now() - @idle::interval`,
		`DELETE FROM sessions WHERE expiry < now()`,
		`DELETE FROM throttle WHERE tat < clock_timestamp()`,
	} {
		tag, err := p.db.Exec(ctx, sql, pgx.NamedArgs{
			"sign_up": p.cfg.SignUpTTL, "email_change": p.cfg.EmailChangeTTL, "max": p.cfg.MaxTTL, "idle": p.cfg.IdleTTL,
		})
		if err != nil {
			return gone, fmt.Errorf("forget old sign-ins: %w", err)
		}
		gone += tag.RowsAffected()
	}
	return gone, nil
}
