package web_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/billing"
	"veracity/web"
)

// inbox takes events as the test says.
type inbox struct {
	err             error
	body, signature string
	taken           int
}

func (i *inbox) Intake(_ context.Context, body []byte, signature string) error {
	i.body, i.signature = string(body), signature
	i.taken++
	return i.err
}

func TestStripeHearsTwoHundredOnlyOfWhatIsStored(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err    error
		status int
	}{
		"stored":        {nil, http.StatusOK},
		"bad signature": {billing.ErrSignature, http.StatusBadRequest},
		"closed":        {billing.ErrClosed, http.StatusNotFound},
		"not stored":    {errors.New("the database at 10.0.0.1 is away"), http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := &inbox{err: row.err}
			body := " {\"id\":\n\"evt_1\"}\r\n"
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, web.StripePath, strings.NewReader(body))
			req.Header.Set("Stripe-Signature", "t=1,v1=ab")
			res := httptest.NewRecorder()
			web.StripeEvents(box, slog.New(slog.DiscardHandler)).ServeHTTP(res, req)
			require.Equal(t, row.status, res.Code)
			require.Equal(t, []string{body, "t=1,v1=ab"}, []string{box.body, box.signature}, "byte for byte")
			require.NotContains(t, res.Body.String(), "10.0.0.1")
		})
	}
}

func TestAnEventIsReadUpToABoundAndWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	handler := web.StripeEvents(box, slog.New(slog.DiscardHandler))
	answer := func(body io.Reader) int {
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), http.MethodPost, web.StripePath, body))
		return res.Code
	}
	require.Equal(t, http.StatusOK, answer(strings.NewReader(strings.Repeat("x", 1<<20))))
	require.Equal(t, http.StatusRequestEntityTooLarge, answer(strings.NewReader(strings.Repeat("x", 1<<20+1))))
	require.Equal(t, http.StatusBadRequest, answer(io.MultiReader(strings.NewReader("{"), &broken{})))
	require.Equal(t, 1, box.taken)
}

// broken is a body that breaks off.
type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
