package jobs_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/jobs"
	"veracity/media/acttest"
)

func TestPagesOfTheQueuesLieUnderTheirPrefix(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	r.Check(0)
	ui, err := jobs.NewUI(t.Context(), r.DB, "/admin/river", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	get := func(path string) (int, string) {
		rec := httptest.NewRecorder()
		ui.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		body, err := io.ReadAll(rec.Body)
		require.NoError(t, err)
		return rec.Code, string(body)
	}
	status, page := get("/admin/river/")
	require.Equal(t, http.StatusOK, status)
	for _, found := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, strings.HasPrefix(found[1], "/admin/river/"), "the page loads %s, which is not ours", found[1])
		status, _ := get(found[1])
		require.Equal(t, http.StatusOK, status, found[1])
	}
	for _, script := range regexp.MustCompile(`(?s)<script([^>]*)>`).FindAllStringSubmatch(page, -1) {
		require.Regexp(t, `src=|type="application/json"`, script[1], "a policy without inline scripts lets the page work")
	}
	require.NotContains(t, page, "<style")
	status, listed := get("/admin/river/api/jobs?state=available")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, listed, `"kind":"check"`)
	status, _ = get("/elsewhere")
	require.Equal(t, http.StatusNotFound, status)
}
