package safefetch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefaultConfigIsValidAndClosed(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	require.NoError(t, cfg.Validate())
	require.Equal(t, 5*time.Second, cfg.ConnectTimeout)
	require.Equal(t, 10*time.Second, cfg.IdleTimeout)
	require.Equal(t, 5, cfg.MaxRedirects)
	require.Empty(t, cfg.Allow)
}

func TestWrongSettingIsNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit func(*Config)
		want string
	}{
		"no connect time":    {func(c *Config) { c.ConnectTimeout = 0 }, "ConnectTimeout is 0s"},
		"negative idle time": {func(c *Config) { c.IdleTimeout = -time.Second }, "IdleTimeout is -1s"},
		"negative redirects": {func(c *Config) { c.MaxRedirects = -1 }, "MaxRedirects is -1: it must be 0 to 20"},
		"many redirects":     {func(c *Config) { c.MaxRedirects = 21 }, "MaxRedirects is 21"},
		"no user agent":      {func(c *Config) { c.UserAgent = "" }, `UserAgent is ""`},
		"broken user agent":  {func(c *Config) { c.UserAgent = "a\r\nb" }, `UserAgent is "a\r\nb"`},
		"allow without port": {func(c *Config) { c.Allow = []string{"a:1", "storage"} }, `Allow has "storage": it must be host:port`},
		"allow without host": {func(c *Config) { c.Allow = []string{":80"} }, `Allow has ":80": its host`},
		"allow odd address":  {func(c *Config) { c.Allow = []string{"127.1:80"} }, "usual form"},
		"allow zone":         {func(c *Config) { c.Allow = []string{"[fe80::1%eth0]:80"} }, "zone"},
		"allow wildcard":     {func(c *Config) { c.Allow = []string{"*.internal:80"} }, "its host must be a name"},
		"allow URL":          {func(c *Config) { c.Allow = []string{"http://a:80"} }, "http://a:80"},
		"allow port 0":       {func(c *Config) { c.Allow = []string{"a:0"} }, "its port must be 1 to 65535"},
		"allow port name":    {func(c *Config) { c.Allow = []string{"a:http"} }, "its port must be 1 to 65535"},
		"allow large port":   {func(c *Config) { c.Allow = []string{"a:65536"} }, "its port must be 1 to 65535"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := DefaultConfig()
			tc.edit(&cfg)
			require.ErrorContains(t, cfg.Validate(), tc.want)
			_, err := New(cfg)
			require.ErrorContains(t, err, "make fetcher: ")
		})
	}
}
