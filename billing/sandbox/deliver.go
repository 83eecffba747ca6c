package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// The states of a delivery.
const (
	waits    = "waiting"
	held     = "held"
	accepted = "accepted"
	refusedD = "given up"
	lost     = "lost"
)

// delivery is an event on its way to one endpoint.
type delivery struct {
	Endpoint string `json:"endpoint"`
	State    string `json:"state"`
	// Copies is how often it is still to be posted.
	Copies   int    `json:"copies"`
	Attempts int    `json:"attempts"`
	Due      int64  `json:"due"` // real time, in milliseconds
	Answer   string `json:"answer"`
}

// Faults are how many of the next events are treated badly. An event meets each of them at most once; Drop comes before
// the others, and Delay before Reorder.
type Faults struct {
	// Double posts them twice.
	Double int `json:"double"`
	// Drop never posts them; the list of events has them.
	Drop int `json:"drop"`
	// Delay holds them until Flush.
	Delay int `json:"delay"`
	// Reorder holds them and posts them in reverse once the last has happened.
	Reorder int `json:"reorder"`
}

// SetFaults replaces the faults that are still to come.
func (s *Sandbox) SetFaults(f Faults) error {
	return s.change(func(w *world) error {
		w.Faults, w.saved = f, false
		return nil
	})
}

func (e *event) waits() bool {
	return slices.ContainsFunc(e.Private.Deliveries, func(d *delivery) bool { return d.State == waits || d.State == held })
}

// count brings the number of endpoints that are still to take the event up to date.
func (e *event) count() {
	e.PendingWebhooks = 0
	for _, d := range e.Private.Deliveries {
		if d.State != accepted {
			e.PendingWebhooks++
		}
	}
}

// send decides how a new event gets to the endpoints that want it.
func (w *world) send(e *event) {
	defer e.count()
	for _, to := range w.Endpoints.rows {
		if to.Status == "enabled" && covers(to.EnabledEvents, e.Type) {
			e.Private.Deliveries = append(e.Private.Deliveries, &delivery{Endpoint: to.ID, State: waits, Copies: 1})
		}
	}
	if len(e.Private.Deliveries) == 0 {
		return
	}
	f := &w.Faults
	all := func(change func(*delivery)) {
		for _, d := range e.Private.Deliveries {
			change(d)
		}
	}
	if take(&f.Drop) {
		all(func(d *delivery) { d.State = lost })
		return
	}
	if take(&f.Double) {
		all(func(d *delivery) { d.Copies = 2 })
	}
	if take(&f.Delay) {
		all(func(d *delivery) { d.State = held })
		return
	}
	if take(&f.Reorder) {
		all(func(d *delivery) { d.State, d.Answer = held, reordered })
		if f.Reorder == 0 {
			w.releaseReversed(e)
		}
	}
}

const reordered = "held to come out of order"

func take(n *int) bool {
	if *n <= 0 {
		return false
	}
	*n--
	return true
}

// releaseReversed lets the events go that were held to be reordered, the last first.
func (w *world) releaseReversed(last *event) {
	due := time.Now().UnixMilli() - int64(len(w.Events.rows)) - 1
	release := func(e *event) {
		for _, d := range e.Private.Deliveries {
			if d.State == held && d.Answer == reordered {
				d.State, d.Due, d.Answer = waits, due, ""
			}
		}
	}
	release(last)
	for i := len(w.Events.rows) - 1; i >= 0; i-- {
		due++ // the order of posting is that of the due times
		release(w.Events.rows[i])
	}
}

// parcel is one event for one endpoint, as it is posted.
type parcel struct {
	e           *event
	d           *delivery
	url, secret string
	body        []byte
}

// pack makes a parcel, unless the endpoint is gone.
func (w *world) pack(e *event, d *delivery) (parcel, bool) {
	to, ok := w.Endpoints.find(d.Endpoint)
	if !ok {
		w.saved = false
		d.State, d.Answer = refusedD, "the endpoint is gone"
		return parcel{}, false
	}
	return parcel{e: e, d: d, url: to.URL, secret: to.Private.Secret, body: mustJSON(w.render(e))}, true
}

// postDue posts what is due until nothing is.
func (s *Sandbox) postDue(ctx context.Context) {
	s.posting.Lock()
	defer s.posting.Unlock()
	for ctx.Err() == nil {
		p, ok := s.nextParcel()
		if !ok {
			return
		}
		s.post(ctx, p)
	}
}

func (s *Sandbox) nextParcel() (parcel, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.world
	now := time.Now().UnixMilli()
	for {
		var first *event
		var what *delivery
		for _, e := range w.Events.rows {
			for _, d := range e.Private.Deliveries {
				if d.State == waits && d.Due <= now && (what == nil || d.Due < what.Due) {
					first, what = e, d
				}
			}
		}
		if what == nil {
			return parcel{}, false
		}
		if p, ok := w.pack(first, what); ok {
			return p, true
		}
	}
}

// post posts a parcel once and writes down what was answered.
func (s *Sandbox) post(ctx context.Context, p parcel) bool {
	said, ok := s.tell(ctx, p)
	if ctx.Err() != nil {
		return false // the sandbox ends: the next start posts it again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.saved = false
	d := p.d
	d.Attempts++
	d.Answer = said
	switch {
	case ok && d.Copies > 1:
		d.Copies--
	case ok:
		d.State = accepted
	case d.Attempts > len(s.cfg.Resend):
		d.State = refusedD
	default:
		d.State, d.Due = waits, time.Now().Add(s.cfg.Resend[d.Attempts-1]).UnixMilli()
	}
	p.e.count()
	return ok
}

// postLimit bounds one attempt.
const postLimit = 20 * time.Second

func (s *Sandbox) tell(ctx context.Context, p parcel) (said string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, postLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(p.body))
	if err != nil {
		return err.Error(), false
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
	// The signature is of now: receivers refuse old ones, wherever the sandbox's clock stands.
	req.Header.Set("Stripe-Signature", sign(p.secret, time.Now(), p.body))
	resp, err := s.client.Do(req)
	if err != nil {
		return err.Error(), false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection may be used again
	_ = resp.Body.Close()
	return resp.Status, resp.StatusCode/100 == 2
}

// sign is the Stripe-Signature header (https://docs.stripe.com/webhooks#verify-manually).
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(append([]byte(t+"."), body...)) // a hash takes everything
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// ownClient reaches this machine alone and follows nobody elsewhere.
func ownClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !ownAddress(net.ParseIP(host)) {
			return fmt.Errorf("the sandbox posts to this machine alone, not to %s", address)
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ownAddress tells whether an address is one of this machine's.
func ownAddress(ip net.IP) bool {
	if ip == nil || ip.IsLoopback() {
		return ip != nil
	}
	own, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(own, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		return ok && network.IP.Equal(ip)
	})
}

// ErrNotAccepted is an event that an endpoint did not answer with 2xx.
var ErrNotAccepted = errors.New("an event was not accepted")

// Flush posts all events that wait or are held, in their order and whatever time they were to wait, once for each copy.
// It returns ErrNotAccepted when one was refused, which then waits again.
func (s *Sandbox) Flush(ctx context.Context) error {
	s.posting.Lock()
	defer s.posting.Unlock()
	s.mu.Lock()
	var parcels []parcel
	for _, e := range s.world.Events.rows {
		for _, d := range e.Private.Deliveries {
			if d.State != waits && d.State != held {
				continue
			}
			for range d.Copies {
				if p, ok := s.world.pack(e, d); ok {
					parcels = append(parcels, p)
				}
			}
		}
	}
	s.mu.Unlock()
	return s.postAll(ctx, parcels)
}

// Post posts events by their ids now, in the order given, whatever became of them before: lost ones too, and one that is
// named twice is posted twice. It returns ErrNotAccepted when one was refused.
func (s *Sandbox) Post(ctx context.Context, ids ...string) error {
	s.posting.Lock()
	defer s.posting.Unlock()
	s.mu.Lock()
	var parcels []parcel
	for _, id := range ids {
		e, ok := s.world.Events.find(id)
		if !ok {
			s.mu.Unlock()
			return fmt.Errorf("post %s: %w", id, ErrNoObject)
		}
		for _, d := range e.Private.Deliveries {
			if p, ok := s.world.pack(e, d); ok {
				parcels = append(parcels, p)
			}
		}
	}
	s.mu.Unlock()
	return s.postAll(ctx, parcels)
}

func (s *Sandbox) postAll(ctx context.Context, parcels []parcel) error {
	var refused error
	for _, p := range parcels {
		switch ok := s.post(ctx, p); {
		case ctx.Err() != nil:
			return fmt.Errorf("post events: %w", ctx.Err())
		case !ok:
			refused = ErrNotAccepted
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(refused, s.world.save())
}
