package sandbox_test

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79/client"

	"veracity/platform/toolbox"
)

// stripeMock starts stripe-mock on loopback, which answers with the objects of Stripe's own description and refuses
// requests that do not follow it. `make tools` installs it.
func stripeMock(t *testing.T) *client.API {
	t.Helper()
	dir, err := toolbox.Dir()
	require.NoError(t, err)
	plain, secure := freeAddress(t), freeAddress(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "stripe-mock"), "-http-addr", plain, "-https-addr", secure)
	require.NoError(t, cmd.Start(), "run make tools")
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the test's context kills it
	require.Eventually(t, func() bool {
		conn, err := net.DialTimeout("tcp", plain, time.Second)
		return err == nil && conn.Close() == nil
	}, 20*time.Second, 20*time.Millisecond)
	return clientOf("http://"+plain, "sk_test_123")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}
