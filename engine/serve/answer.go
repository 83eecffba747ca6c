package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
)

// answerTimeout bounds the writing of an answer to a caller that does not read.
const answerTimeout = 5 * time.Second

// retryAfter is the wait asked of a caller that finds the engine full, starting or closing.
const retryAfter = 2 * time.Second

// answer writes value as JSON. A caller that is gone by now is told nothing, which is all that can be done.
func (s *server) answer(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		s.log.Error("answer cannot be written as JSON", "error", err)
		http.Error(w, "{}", http.StatusInternalServerError)
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout)); err != nil {
		s.log.Warn("answer has no deadline", "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		s.log.Debug("answer not delivered", "error", err)
	}
}

// refuse writes a fault.
func (s *server) refuse(w http.ResponseWriter, f *fault.Fault) {
	refusal, err := engine.NewRefusal(f)
	if err != nil {
		s.log.Error("detail of a fault cannot be written as JSON", "code", f.Code, "error", err)
	}
	if refusal.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(refusal.RetryAfter))
	}
	s.answer(w, statusOf(f.Code), refusal)
}

// statuses are for people who read the wire; the engine's own client goes by the code.
var statuses = map[fault.Code]int{
	fault.InvalidImage:             http.StatusBadRequest,
	fault.InvalidParameter:         http.StatusBadRequest,
	fault.EngineCredentialsMissing: http.StatusUnauthorized,
	fault.EngineRegionMissing:      http.StatusMisdirectedRequest,
	fault.ImageTooLarge:            http.StatusRequestEntityTooLarge,
	fault.TooManyPixels:            http.StatusRequestEntityTooLarge,
	fault.VideoTooLarge:            http.StatusRequestEntityTooLarge,
	fault.VideoTooLong:             http.StatusRequestEntityTooLarge,
	fault.AudioTooLarge:            http.StatusRequestEntityTooLarge,
	fault.AudioTooLong:             http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:         http.StatusUnsupportedMediaType,
	fault.VideoUnsupported:         http.StatusUnsupportedMediaType,
	fault.AudioUnsupported:         http.StatusUnsupportedMediaType,
	fault.EngineUnavailable:        http.StatusServiceUnavailable,
	fault.ModelUnavailable:         http.StatusServiceUnavailable,
}

func statusOf(code fault.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}
