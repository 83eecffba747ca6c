package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"veracity/engine"
	"veracity/platform/fault"
)

// server answers the engine's protocol (see engine/wire.go).
type server struct {
	cfg     Config
	log     *slog.Logger
	gate    *gate
	jobs    *gate
	rooms   *rooms
	token   []byte
	sandbox map[string]string

	// inspector is empty until the factory is done.
	inspector atomic.Pointer[Inspector]
	// stuck is closed when a check or job runs on after all its time.
	stuck  chan struct{}
	giveUp func()
}

// newServer makes a server without an Inspector. token is the SHA-256 of the bearer token, or nil on a unix socket.
func newServer(cfg Config, token []byte, sandbox map[string]string, log *slog.Logger) *server {
	s := &server{
		cfg: cfg, log: log, token: token, sandbox: sandbox,
		gate: newGate(cfg.Cores, cfg.Queue, cfg.QueueWait), stuck: make(chan struct{}),
		jobs:  newGate(cfg.Jobs, jobQueue*cfg.Jobs, cfg.JobQueueWait),
		rooms: newRooms(cfg.Scratch, cfg.ScratchBytes, log),
	}
	s.giveUp = sync.OnceFunc(func() { close(s.stuck) })
	return s
}

// close admits nothing more.
func (s *server) close() {
	s.gate.close()
	s.jobs.close()
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+engine.PathAlive, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.Handle("GET "+engine.PathReady, s.authorized(http.HandlerFunc(s.ready)))
	for path, handle := range map[string]http.HandlerFunc{
		engine.PathCheckImage: s.checkImage, engine.PathAcceptImage: s.acceptImage,
		engine.PathCheckClip: s.checkClip, engine.PathRender: s.render,
	} {
		mux.Handle("POST "+path, s.authorized(handle))
	}
	return mux
}

// authorized lets calls through that carry the token and name this region. On a unix socket the folder's mode guards.
func (s *server) authorized(next http.Handler) http.Handler {
	if s.token == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], s.token) != 1 {
			s.refuse(w, fault.New(fault.EngineCredentialsMissing, "The engine does not know this token."))
			return
		}
		if s.cfg.Region != "" && r.Header.Get(engine.HeaderRegion) != s.cfg.Region {
			s.refuse(w, fault.New(fault.EngineRegionMissing, "The engine is in another region."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	state := engine.State{
		Slots: s.cfg.Cores, Running: s.gate.running(), Queued: s.gate.queued(),
		JobSlots: s.cfg.Jobs, JobsRunning: s.jobs.running(), JobsQueued: s.jobs.queued(), ScratchFree: s.rooms.left(),
		Models: map[string]string{}, Sandbox: s.sandbox,
	}
	inspector, err := s.open()
	if err != nil {
		state.Reason = err.Error()
		s.answer(w, http.StatusServiceUnavailable, state)
		return
	}
	state.Models = inspector.Models()
	if f := inspector.Fault(); f != nil {
		state.Reason, state.Code = errors.Unwrap(f).Error(), f.Code
		s.answer(w, http.StatusServiceUnavailable, state)
		return
	}
	state.Ready = true
	s.answer(w, http.StatusOK, state)
}

// errStarting says that the Inspector is not made yet.
var errStarting = errors.New("the engine is starting")

// open answers the Inspector, or why there is none to be had.
func (s *server) open() (Inspector, error) {
	select {
	case <-s.gate.closed:
		return nil, errClosing
	default:
	}
	if inspector := s.inspector.Load(); inspector != nil {
		return *inspector, nil
	}
	return nil, errStarting
}

// opener answers the Inspector, or the fault that a caller gets without it.
type opener func() (Inspector, *fault.Fault)

// anyWork opens the Inspector for work that needs no model.
func (s *server) anyWork() (Inspector, *fault.Fault) {
	inspector, err := s.open()
	if err != nil {
		return nil, unavailable(err)
	}
	return inspector, nil
}

// checks opens the Inspector for checks, which a model that cannot be loaded refuses.
func (s *server) checks() (Inspector, *fault.Fault) {
	inspector, f := s.anyWork()
	if f == nil {
		f = inspector.Fault()
	}
	return inspector, f
}
