package engine

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestAnEngineElsewhereNeedsTokenAndRegion(t *testing.T) {
	t.Parallel()
	var heads []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads = append(heads, r.Header)
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, goodReport)
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		token, region string
		want          fault.Code
	}{
		{"", "eu", fault.EngineCredentialsMissing},
		{"secret", "", fault.EngineRegionMissing},
		{"secret", "eu", ""},
	} {
		cfg := DefaultClientConfig()
		cfg.URL, cfg.Token, cfg.Region = server.URL, c.token, c.region
		client, err := NewClient(cfg)
		require.NoError(t, err)
		_, err = client.CheckImage(t.Context(), image("pixels"))
		require.Equal(t, c.want, fault.CodeOf(err))
		if c.want != "" {
			require.Equal(t, c.want, fault.CodeOf(client.Ready(t.Context())))
		}
	}
	require.Len(t, heads, 1)
	require.Equal(t, "Bearer secret", heads[0].Get("Authorization"))
	require.Equal(t, "eu", heads[0].Get(HeaderRegion))
}

func TestClientConfigNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(*ClientConfig){
		"Socket":       func(c *ClientConfig) { c.Socket = "" },
		"URL is":       func(c *ClientConfig) { c.URL = "http://engine:1" },
		"Connect":      func(c *ClientConfig) { c.Connect = 0 },
		"Timeout":      func(c *ClientConfig) { c.Timeout = 0 },
		"ReadyTimeout": func(c *ClientConfig) { c.ReadyTimeout = -1 },
		"JobAdmission": func(c *ClientConfig) { c.JobAdmission = 0 },
		"JobSilence":   func(c *ClientConfig) { c.JobSilence = 0 },
	}
	for want, alter := range spoil {
		cfg := DefaultClientConfig()
		cfg.Socket = "/run/engine.sock"
		alter(&cfg)
		_, err := NewClient(cfg)
		require.ErrorContains(t, err, want)
	}
	for _, bad := range []string{"engine:8080", "ftp://engine", "http://", "http://engine/path", "http://u:p@engine", "::"} {
		cfg := DefaultClientConfig()
		cfg.URL = bad
		err := cfg.Validate()
		require.ErrorContains(t, err, "VERACITY_ENGINE_URL", bad)
		require.NotContains(t, err.Error(), "u:p@")
	}
	for _, good := range []string{"http://engine:8080", "https://engine.example/"} {
		cfg := DefaultClientConfig()
		cfg.URL = good
		require.NoError(t, cfg.Validate())
	}
}
