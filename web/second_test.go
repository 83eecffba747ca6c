package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/signin"
)

func TestTheFirstStepIsForgottenAfterTenMinutes(t *testing.T) {
	t.Parallel()
	p := &Portal{sessions: scs.New()}
	user := uuid.New()
	for age, want := range map[time.Duration]uuid.UUID{0: user, halfTime - time.Minute: user, halfTime + time.Second: uuid.Nil, 24 * time.Hour: uuid.Nil} {
		ctx, err := p.sessions.Load(t.Context(), "")
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, secondPath, nil)
		require.Equal(t, uuid.Nil, p.half(r), "nobody has shown a password")
		require.NoError(t, p.putHalf(r, signin.Started{User: user}, accountPath))
		p.sessions.Put(ctx, sessionHalfAt, time.Now().Add(-age).Unix())
		require.Equal(t, want, p.half(r), age)
	}
}
