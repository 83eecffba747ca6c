package mcp

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/toolbox"
)

func TestProtocolsOwnTestOfRebindingPasses(t *testing.T) {
	t.Parallel()
	front := httptest.NewUnstartedServer(nil)
	address := "http://" + front.Listener.Addr().String()
	s, err := New(Parts{Acts: script{}, BaseURL: address})
	require.NoError(t, err)
	front.Config.Handler = s
	front.Start()
	t.Cleanup(front.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	runner := filepath.Join(toolbox.Module(t, "@modelcontextprotocol/conformance"), "dist", "index.js")
	run := toolbox.Node(ctx, t, runner, "server", "--url", address, "--scenario", "dns-rebinding-protection")
	run.Dir = t.TempDir()
	said, err := run.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.True(t, strings.Contains(string(said), "Passed: 2/2"), "%s", said)
}
