package storage_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

func validConfig(address string) storage.Config {
	cfg := storage.DefaultConfig()
	cfg.URL = address
	cfg.PublicURL = "https://veracity.example"
	cfg.TicketSecret = make([]byte, 32)
	return cfg
}

func TestAllowedForms(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"disk:/var/lib/veracity", "disk:///var/lib/veracity", "disk:blobs", "disk:./a folder/100%",
		"s3://media", "s3://media/", "s3://media.example?region=eu-central-1",
		"s3://media?endpoint=http://127.0.0.1:7070&region=us-east-1&path_style=true",
		"s3://media?endpoint=https%3A%2F%2Fs3.example&path_style=false",
	} {
		require.NoError(t, validConfig(address).Validate(), address)
	}
}

func TestWrongURLIsNamedWithWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for address, reason := range map[string]string{
		"":                                "it is empty",
		"/var/lib/veracity":               "the scheme is not known",
		"http://bucket":                   "the scheme is not known",
		"disk:":                           "the folder is missing",
		"disk://":                         "a disk has no host",
		"disk://host/path":                "a disk has no host",
		"s3://":                           "not the name of a bucket",
		"s3://UPPER":                      "not the name of a bucket",
		"s3://a":                          "not the name of a bucket",
		"s3:media":                        "not the name of a bucket",
		"s3://media/folder":               "nothing may follow the bucket",
		"s3://media#x":                    "nothing may follow the bucket",
		"s3://media?bucket=x":             "parameter bucket is not known",
		"s3://media?region=":              "parameter region wants one value",
		"s3://media?region=a&region=b":    "parameter region wants one value",
		"s3://media?path_style=perhaps":   "path_style is neither true nor false",
		"s3://media?endpoint=127.0.0.1":   "endpoint is not http://HOST",
		"s3://media?endpoint=ftp://h":     "endpoint is not http://HOST",
		"s3://media?endpoint=http://u@h/": "endpoint is not http://HOST",
		"s3://media?a;b":                  "the parameters cannot be read",
	} {
		err := validConfig(address).Validate()
		require.ErrorContains(t, err, "VERACITY_STORAGE_URL", address)
		require.ErrorContains(t, err, reason, address)
		require.ErrorContains(t, err, "want disk:DIR", address)
	}
}

func TestSecretsStayOutOfMessages(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"s3://user:hunter2@media", "s3://hunter2@media", "s3:hunter2@media", "s3://media?secret_key=hunter2",
		"s3://media?endpoint=http://u:hunter2@host", "s3://media:hunter2:x", "s3://media?x=%zzhunter2",
		"s3://media?a;b=hunter2", "s3://media?endpoint=http://host?token=hunter2",
	} {
		err := validConfig(address).Validate()
		require.ErrorContains(t, err, "VERACITY_STORAGE_URL", address)
		require.NotContains(t, err.Error(), "hunter2", address)
	}
	cfg := validConfig("disk:blobs")
	cfg.PublicURL = "https://user:hunter2@host"
	err := cfg.Validate()
	require.ErrorContains(t, err, "VERACITY_BASE_URL")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*storage.Config){
		"VERACITY_STORAGE_ACCESS_KEY and VERACITY_STORAGE_SECRET_KEY": func(c *storage.Config) { c.AccessKey = "a" },
		"VERACITY_BASE_URL is \"\"":                                   func(c *storage.Config) { c.PublicURL = "" },
		"VERACITY_BASE_URL is \"ftp://host\"":                         func(c *storage.Config) { c.PublicURL = "ftp://host" },
		"TicketSecret has 31 bytes":                                   func(c *storage.Config) { c.TicketSecret = make([]byte, 31) },
		"ConnectTimeout is 0s":                                        func(c *storage.Config) { c.ConnectTimeout = 0 },
		"CallTimeout is -1s":                                          func(c *storage.Config) { c.CallTimeout = -time.Second },
		"StallTimeout is 0s":                                          func(c *storage.Config) { c.StallTimeout = 0 },
		"UploadTimeout is 0s":                                         func(c *storage.Config) { c.UploadTimeout = 0 },
	} {
		cfg := validConfig("disk:blobs")
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
		_, err := storage.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, want)
	}
}

func TestBucketNeedsNoTicketSettings(t *testing.T) {
	t.Parallel()
	cfg := storage.DefaultConfig()
	cfg.URL = "s3://media"
	require.NoError(t, cfg.Validate())
}

func TestFolderThatCannotBeMadeIsUnavailable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := storage.Open(t.Context(), validConfig("disk:"+filepath.Join(file, "below")), slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, storage.ErrUnavailable)
}
