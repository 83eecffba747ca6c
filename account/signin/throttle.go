package signin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"veracity/account"
	"veracity/platform/fault"
)

// limit is a rate on one bucket of tries. A bucket is a hash, so the table tells nobody's address.
type limit struct {
	bucket []byte
	rate   Rate
}

// bucket names what is counted: a purpose, and what it is counted by.
func bucket(purpose string, by ...string) []byte {
	h := sha256.New()
	for _, part := range append([]string{purpose}, by...) {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash takes every write
	}
	return h.Sum(nil)
}

// take counts one try in each limit, in their order, and stops at the first that is used up: too_many_tries with
// RetryAfter. So a client over its own rate uses up nothing of what an account's other clients share.
func (p *People) take(ctx context.Context, limits ...limit) error {
	for _, l := range limits {
		wait, err := p.count(ctx, l)
		if err != nil {
			return err
		}
		if wait > 0 {
			return fault.New(fault.TooManyTries, "Too many tries. Wait %s, then try again.", inWords(wait)).WithRetryAfter(wait)
		}
	}
	return nil
}

// giveBack uncounts a try that succeeded, so that only wrong ones use up what an account has. What a client has is not
// given back: hashing is work for a right password too.
func (p *People) giveBack(ctx context.Context, limits ...limit) {
	for _, l := range limits {
		_, err := p.db.Exec(ctx, `UPDATE throttle SET tat = tat - @emission::interval WHERE bucket = @bucket`,
			pgx.NamedArgs{"emission": l.rate.emission(), "bucket": l.bucket})
		if err != nil {
			// The password or code was right: a bookkeeping write that fails must not refuse it.
			p.log.WarnContext(ctx, "uncount try", "error", err)
		}
	}
}

// emission is the time that one try takes up.
func (r Rate) emission() time.Duration { return r.Per / time.Duration(r.Count) }

// count moves the theoretical arrival time of GCRA in one upsert, which changes no row for a try too many. The wait is 0
// for a try that was counted.
func (p *People) count(ctx context.Context, l limit) (time.Duration, error) {
	var (
		counted bool
		ahead   time.Duration
	)
	emission := l.rate.emission()
	err := p.db.QueryRow(ctx, `
		WITH counted AS (
			INSERT INTO throttle AS t (bucket, tat) VALUES ($1, clock_timestamp() + $2::interval)
			ON CONFLICT (bucket) DO UPDATE SET tat = greatest(t.tat, clock_timestamp()) + $2::interval
				WHERE t.tat - clock_timestamp() + $2::interval <= $3::interval
			RETURNING tat
		)
		SELECT EXISTS (SELECT FROM counted),
		       coalesce((SELECT tat FROM throttle WHERE bucket = $1) - clock_timestamp(), interval '0')`,
		l.bucket, emission, l.rate.Per).Scan(&counted, &ahead)
	if err != nil {
		return 0, fmt.Errorf("count try: %w", err)
	}
	if counted {
		return 0, nil
	}
	return max(ahead+emission-l.rate.Per, time.Second), nil
}

// throttleClient counts a try of the client at any sign-in.
func (p *People) throttleClient(ctx context.Context, c Client) error {
	t := p.cfg.Throttles
	return p.take(ctx,
		limit{bucket("client, minute", c.network()), t.ClientMinute},
		limit{bucket("client, hour", c.network()), t.ClientHour})
}

// mayMail counts a form that sends a mail. The client is told when it is over its rate. The receiver's rate silences
// instead: an answer would tell strangers what others asked for. Each kind of mail is counted by itself, so that nobody
// keeps the mail of a sign-up from coming by forms that send none.
func (p *People) mayMail(ctx context.Context, name account.LetterName, to string, c Client) (bool, error) {
	t := p.cfg.Throttles
	if err := p.take(ctx, limit{bucket("mails by client", c.network()), t.MailsByClient}); err != nil {
		return false, err
	}
	wait, err := p.count(ctx, limit{bucket("mails to", string(name), folded(to)), t.MailsTo})
	return wait == 0, err
}

// network is what a client is counted by: an IPv4 address, or the /64 that an IPv6 site hands out freely.
func (c Client) network() string {
	ip, err := netip.ParseAddr(c.Address)
	if err != nil {
		return c.Address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	site, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return site.String()
}

func inWords(d time.Duration) string {
	switch {
	case d <= time.Second:
		return "a second"
	case d <= time.Minute:
		return fmt.Sprintf("%d seconds", int(math.Ceil(d.Seconds())))
	case d <= 90*time.Minute:
		return fmt.Sprintf("%d minutes", int(math.Ceil(d.Minutes())))
	default:
		return fmt.Sprintf("%d hours", int(math.Ceil(d.Hours())))
	}
}
