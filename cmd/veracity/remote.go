package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/client"
)

// remoteSettings say which service `veracity remote` works with.
type remoteSettings struct {
	Key, URL string
}

const defaultRemote = "http://127.0.0.1:8080"

func (s *Settings) registerRemote(fs *pflag.FlagSet) {
	fs.StringVar(&s.Remote.Key, "api-key", "", "API key of the remote commands")
	fs.StringVar(&s.Remote.URL, "api-url", defaultRemote, "service that the remote commands work with; also --url")
}

const remoteHelp = `Check and optimize files with a Veracity service, over its API and on an account of it.

The service is named by VERACITY_API_URL or --url, by default http://127.0.0.1:8080, where veracity dev listens. The key is
read from VERACITY_API_KEY or --api-key; the variable keeps it out of the shell's history.

A file is a path, or an http or https address that the service fetches itself.`

func remoteCommand(s *Settings) *cobra.Command {
	cmd := group("remote", "Check and optimize files with a service, by an API key", remoteCheckCommand(s), remoteOptimizeCommand(s))
	cmd.Long = remoteHelp
	cmd.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "url" {
			name = "api-url"
		}
		return pflag.NormalizedName(name)
	})
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(shown *cobra.Command, args []string) {
		for _, name := range []string{"api-key", "api-url"} {
			shown.InheritedFlags().Lookup(name).Hidden = false
		}
		help(shown, args)
	})
	return cmd
}

// remoteRetry is more patient than the client's own: with jobs that wait for a free slot, and less with a service that is
// not there at all.
var remoteRetry = client.Retry{Attempts: 4, Elapsed: 15 * time.Minute}

// remote is a service as the remote commands see it.
type remote struct {
	*Settings
	// http is plain: the service is the user's own choice, and may well be on this machine.
	http *http.Client
	// out is for results, notes for people who watch.
	out, notes io.Writer
	board      *board
}

// newRemote prepares work with the service that the settings name.
func (s *Settings) newRemote(cmd *cobra.Command) (*remote, error) {
	if s.Remote.Key == "" {
		return nil, usageError{errors.New("VERACITY_API_KEY is not set: make a key on the account page of the service, or with `veracity key create`")}
	}
	r := &remote{
		Settings: s, http: &http.Client{Transport: http.DefaultTransport}, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(),
		board: newBoard(cmd.ErrOrStderr()),
	}
	if _, err := r.client(""); err != nil {
		return nil, usageError{fmt.Errorf("VERACITY_API_URL or VERACITY_API_KEY: %s", bare(err))}
	}
	if inTheClear(s.Remote.URL) {
		if _, err := fmt.Fprintf(r.notes, "veracity: warning: the key goes to %s unencrypted: use https\n", s.Remote.URL); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// client is one for the work on one file, whose waits the board shows under the file's name.
func (r *remote) client(name string) (*client.Client, error) {
	return client.New(r.Remote.URL, r.Remote.Key, client.WithHTTPClient(r.http), client.WithRetry(remoteRetry),
		client.WithUserAgent("veracity-remote"), client.WithNotice(func(n client.Notice) {
			r.board.say(name, fmt.Sprintf("trying again in %s: %s", n.Wait.Round(time.Second/10), r.reason(n.Err).Message))
		}))
}

// inTheClear tells an address whose traffic others may read on its way.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil || !ip.IsLoopback()
}

// errInterrupted ends a command that somebody stopped.
var errInterrupted = errors.New("interrupted")

// inOneLine is err as the last line of a command says it.
func (r *remote) inOneLine(err error) error {
	told := r.reason(err)
	return fmt.Errorf("%s: %s", told.Code, told.Message)
}

// watching shows on the board how a job stands. Somebody looks on, so it reads more often than the client would.
func (r *remote) watching(name string) client.WaitOptions {
	return client.WaitOptions{First: time.Second, Longest: 5 * time.Second, OnRead: func(s client.Status) { r.board.say(name, string(s)) }}
}

// tellUnfinished says of a job that goes on without this command how to come back to it.
func (r *remote) tellUnfinished(name, command string, err error) {
	var unfinished *client.UnfinishedError
	if !errors.As(err, &unfinished) {
		return
	}
	r.board.aside(func() {
		_, _ = fmt.Fprintf(r.notes, "veracity: the job of %s goes on; come back to it with `veracity remote %s --job %s`\n",
			name, command, unfinished.JobID)
	})
}
