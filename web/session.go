package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account/access"
	"veracity/account/signin"
	"veracity/platform/fault"
)

// Times of a session. The row of its sign-in has the same two, and ends a session whatever the store says.
const (
	sessionIdle = 7 * 24 * time.Hour
	sessionLife = 30 * 24 * time.Hour
)

// Keys of what a session holds.
const (
	sessionSignIn  = "sign_in"
	sessionAccount = "account"
	sessionFlash   = "flash"
)

// newSessions keeps sessions in PostgreSQL under the hash of their token (OWASP Session Management sheet).
func newSessions(db *pgxpool.Pool, secure bool, log *slog.Logger) *scs.SessionManager {
	m := scs.New()
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		if r.Context().Err() != nil {
			return // the visitor has gone, and with him whoever would read an answer
		}
		log.ErrorContext(r.Context(), "session", "error", err)
		http.Error(w, "Something went wrong on our side. Try again in a moment.", http.StatusInternalServerError)
	}
	m.Store = pgxstore.NewWithCleanupInterval(db, 0) // a maintenance task cleans up
	m.HashTokenInStore = true
	m.IdleTimeout, m.Lifetime = sessionIdle, sessionLife
	m.Cookie.Name, m.Cookie.Path = "veracity_session", "/"
	m.Cookie.HttpOnly, m.Cookie.SameSite, m.Cookie.Secure = true, http.SameSiteLaxMode, secure
	if secure {
		m.Cookie.Name = "__Host-veracity_session"
	}
	return m
}

// Visitor is who looks at a page. Without a sign-in all but Address is empty.
type Visitor struct {
	signin.Visit
	Address string
}

// SignedIn tells whether the visitor has signed in.
func (v *Visitor) SignedIn() bool { return v.SignIn != uuid.Nil }

// Actor is the visitor as a member of the chosen account.
func (v *Visitor) Actor() access.Actor {
	return access.Actor{Account: v.Account, User: v.User.ID, Role: v.Role, Address: v.Address}
}

// Operator is the visitor as an operator who acts on an account. Only handlers behind the operator's check may ask.
func (v *Visitor) Operator(account uuid.UUID) access.Actor {
	return access.Actor{Account: account, User: v.User.ID, Operator: v.User.Operator, Address: v.Address}
}

type visitorKey struct{}

func visitorOf(ctx context.Context) *Visitor {
	v, ok := ctx.Value(visitorKey{}).(*Visitor)
	if !ok {
		return &Visitor{}
	}
	return v
}

// visit finds out who asks. A session whose sign-in has ended is dropped.
func (p *Portal) visit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visitor{Address: p.cfg.Proxies.client(r)}
		if id, err := uuid.Parse(p.sessions.GetString(r.Context(), sessionSignIn)); err == nil {
			wanted, _ := uuid.Parse(p.sessions.GetString(r.Context(), sessionAccount)) // the nil id where none was chosen
			visit, err := p.People.Visit(r.Context(), id, wanted)
			switch {
			case fault.CodeOf(err) == fault.SignInFailed:
				p.sessions.Remove(r.Context(), sessionSignIn)
			case err != nil:
				p.fail(w, r, err)
				return
			default:
				v.Visit = visit
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)))
	})
}

// admit opens a sign-in for a user who has shown all that is needed: a new session token (OWASP Session Management
// sheet, "Renew the Session ID After Any Privilege Level Change") and the cookie by which this browser is known again.
func (p *Portal) admit(w http.ResponseWriter, r *http.Request, user uuid.UUID, method string) error {
	opened, err := p.People.Open(r.Context(), user, method, p.client(r))
	if err != nil {
		return err
	}
	return p.enter(w, r, opened)
}

// admitStarted is admit after a password, as long as it is still the person's.
func (p *Portal) admitStarted(w http.ResponseWriter, r *http.Request, user uuid.UUID, stamp, method string) error {
	opened, err := p.People.OpenStarted(r.Context(), user, stamp, method, p.client(r))
	if err != nil {
		return err
	}
	return p.enter(w, r, opened)
}

func (p *Portal) enter(w http.ResponseWriter, r *http.Request, opened signin.Opened) error {
	ctx := r.Context()
	if err := p.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := p.sessions.RenewToken(ctx); err != nil {
		return err
	}
	p.sessions.Put(ctx, sessionSignIn, opened.SignIn.String())
	p.setDevice(w, opened.Device)
	return nil
}

// deviceLife is how long a browser is known again.
const deviceLife = 400 * 24 * time.Hour

func (p *Portal) deviceCookie() string {
	if p.sessions.Cookie.Secure {
		return "__Host-veracity_device"
	}
	return "veracity_device"
}

func (p *Portal) setDevice(w http.ResponseWriter, value string) {
	if value == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the service is: dev answers over plain http on this machine
		Name: p.deviceCookie(), Value: value, Path: "/", MaxAge: int(deviceLife / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: p.sessions.Cookie.Secure,
	})
}

// client is the browser as sign-in knows it.
func (p *Portal) client(r *http.Request) signin.Client {
	c := signin.Client{Address: p.cfg.Proxies.client(r), Agent: r.UserAgent()}
	if cookie, err := r.Cookie(p.deviceCookie()); err == nil {
		c.Device = cookie.Value
	}
	return c
}

// flash is said once on the next page.
func (p *Portal) flash(r *http.Request, text string) {
	p.sessions.Put(r.Context(), sessionFlash, text)
}
