package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/platform/toolbox"
)

// refereeTime bounds one run of a referee.
const refereeTime = 2 * time.Minute

// behindKey starts a service behind a proxy that adds a customer's key, for clients that can send none, and gives the
// address of the endpoint there.
func behindKey(t *testing.T) (customer, string) {
	t.Helper()
	proxy := &httputil.ReverseProxy{}
	front := httptest.NewUnstartedServer(proxy)
	t.Cleanup(front.Close)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	require.NoError(t, err)
	var behind *url.URL
	c := start(t, func(s *Settings) {
		behind, err = url.Parse(s.BaseURL)
		require.NoError(t, err)
		s.BaseURL = "http://localhost:" + port
	}).customer(account.Overrides{})
	proxy.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-API-Key", c.key)
	}
	front.Start()
	return c, c.url + mcpPath
}

// The scenarios of the protocol's own tests that a server of tools alone can meet. The others call tools, prompts and
// resources of a server that is made for them, or need sessions.
var scenarios = []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}

func TestMCPPassesTheProtocolsOwnConformanceTests(t *testing.T) {
	t.Parallel()
	_, endpoint := behindKey(t)
	for _, scenario := range scenarios {
		conforms(t, endpoint, scenario)
	}
}

// conforms runs a scenario and demands that all of its checks are passed.
func conforms(t *testing.T, endpoint, scenario string) {
	t.Helper()
	results := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), refereeTime)
	defer cancel()
	runner := filepath.Join(toolbox.Module(t, "@modelcontextprotocol/conformance"), "dist", "index.js")
	run := toolbox.Node(ctx, t, runner, "server", "--url", endpoint, "--scenario", scenario, "--output-dir", results)
	run.Dir = results
	said, err := run.CombinedOutput()
	require.NoError(t, err, "%s: %s", scenario, said)
	found, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	require.NoError(t, err)
	require.Len(t, found, 1, "%s", said)
	written, err := os.ReadFile(found[0])
	require.NoError(t, err)
	var checks []struct{ ID, Status, ErrorMessage string }
	require.NoError(t, json.Unmarshal(written, &checks))
	require.NotEmpty(t, checks)
	for _, check := range checks {
		require.Contains(t, []string{"SUCCESS", "INFO"}, check.Status, "%s: %s: %s", scenario, check.ID, check.ErrorMessage)
	}
}

func TestMCPInspectorListsAndCallsTools(t *testing.T) {
	t.Parallel()
	c, endpoint := behindKey(t)
	// What the inspector runs for --cli, by the Node.js of the tests.
	cli := filepath.Join(toolbox.Module(t, "@modelcontextprotocol/inspector-cli"), "build", "index.js")
	inspect := func(args ...string) map[string]any {
		ctx, cancel := context.WithTimeout(t.Context(), refereeTime)
		defer cancel()
		run := toolbox.Node(ctx, t, append([]string{cli, endpoint, "--transport", "http"}, args...)...)
		run.Dir = t.TempDir()
		said, err := run.CombinedOutput()
		require.NoError(t, err, "%s", said)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(said, &answer), "%s", said)
		return answer
	}
	listed := inspect("--method", "tools/list")["tools"].([]any)
	names := make([]string, len(listed))
	for i, one := range listed {
		names[i] = one.(map[string]any)["name"].(string)
	}
	require.ElementsMatch(t, []string{"check_media", "get_check", "optimize_media", "get_optimization", "create_upload", "get_usage"}, names)

	checked := usedOf(t, map[string]any{"result": inspect("--method", "tools/call", "--tool-name", "check_media",
		"--tool-arg", "image_base64="+base64.StdEncoding.EncodeToString(labelledPNG(t)))})
	require.Equal(t, "ai", checked.ok()["verdict"])
	refused := usedOf(t, map[string]any{"result": inspect("--method", "tools/call", "--tool-name", "check_media")})
	require.Contains(t, refused.fails(), "exactly one source")
	c.spent(1)
}
