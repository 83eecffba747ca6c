package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/engine/c2pa/certs"
	"veracity/engine/trust"
)

// trustFolder in the data folder has the trust lists where no setting names another.
const trustFolder = "trust"

// trustSettings say whom to trust as a signer of Content Credentials.
type trustSettings struct {
	// Dir is the folder of trust lists.
	Dir string
	// Every is how often a serving process updates it; 0 leaves that to `veracity trust update`.
	Every time.Duration
	// Sources override where single lists come from.
	Sources map[string]string
}

// staleTrust is the age at which lists are to be mended: certificate authorities join the official list every few weeks.
const staleTrust = 30 * 24 * time.Hour

func (s *Settings) registerTrust(fs *pflag.FlagSet) {
	fs.StringVar(&s.Trust.Dir, "trust-dir", "", "folder of C2PA trust lists; default DATA/trust")
	fs.DurationVar(&s.Trust.Every, "trust-update", s.Trust.Every, "how often a server brings them up to date; 0 leaves that to `veracity trust update`")
	fs.StringToStringVar(&s.Trust.Sources, "trust-sources", nil, "FILE=URL pairs of lists to be fetched from elsewhere")
}

// deriveTrust fills in the folder and hands it to the engine.
func (s *Settings) deriveTrust() error {
	if s.Trust.Dir == "" {
		s.Trust.Dir = filepath.Join(s.Data, trustFolder)
	}
	dir, err := filepath.Abs(s.Trust.Dir)
	if err != nil {
		return fmt.Errorf("find the folder of trust lists: %w", err)
	}
	s.Trust.Dir, s.Serve.Trust = dir, dir
	if s.Trust.Every < 0 || s.Trust.Every > 0 && s.Trust.Every < time.Minute {
		return usageError{fmt.Errorf("VERACITY_TRUST_UPDATE is %s: allowed are 0 and 1m or more", s.Trust.Every)}
	}
	if err := trust.Sources(s.Trust.Sources).Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// trustSources are the official ones, with those that the settings override.
func (s *Settings) trustSources() trust.Sources {
	sources := trust.OfficialSources()
	for name, address := range s.Trust.Sources {
		sources[name] = address
	}
	return sources
}

func trustCommand(s *Settings) *cobra.Command {
	return group("trust", "The lists of whose Content Credentials to trust", &cobra.Command{
		Use: "update", Short: "Fetch the C2PA trust lists into VERACITY_TRUST_DIR", Args: noArgs,
		Long: "Fetches the C2PA trust list, the C2PA time-stamp trust list and the frozen interim list, checks them and puts them\n" +
			"into VERACITY_TRUST_DIR. Engines that run read them within half a minute. A list that cannot be fetched stays as it is.\n" +
			"Your own anchors go into the same folder, in files whose names end in " + certs.LocalSuffix + ".",
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := trust.Update(cmd.Context(), s.Trust.Dir, s.trustSources())
			return errors.Join(s.printUpdated(cmd.OutOrStdout(), done), err)
		},
	})
}

func (s *Settings) printUpdated(out io.Writer, done trust.Updated) error {
	if s.JSON {
		_, err := fmt.Fprintln(out, toJSON(done))
		return err
	}
	var b strings.Builder
	for _, name := range done.Changed {
		fmt.Fprintf(&b, "new   %s\n", filepath.Join(s.Trust.Dir, name))
	}
	for _, name := range done.Same {
		fmt.Fprintf(&b, "same  %s\n", filepath.Join(s.Trust.Dir, name))
	}
	fmt.Fprintf(&b, "%d anchors of signers, %d of time-stamps, %d signers allowed by name\n", done.Anchors, done.StampAnchors, done.Allowed)
	_, err := io.WriteString(out, b.String())
	return err
}

// keepTrust updates the lists of an engine of this process's own, until the App is closed.
func (a *App) keepTrust(ctx context.Context) {
	every := a.Settings.Trust.Every
	if every == 0 || a.Settings.Engine.URL != "" {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// Several processes may share the folder: whoever finds it old updates it.
		tick := time.NewTicker(min(every, time.Hour))
		defer tick.Stop()
		for {
			if age, ok := trust.Age(a.Settings.Trust.Dir, time.Now()); !ok || age >= every {
				a.updateTrust(ctx)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	a.onClose("trust lists", func(context.Context) error {
		cancel()
		<-ended
		return nil
	})
}

func (a *App) updateTrust(ctx context.Context) {
	done, err := trust.Update(ctx, a.Settings.Trust.Dir, a.Settings.trustSources())
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
	case err != nil:
		a.Log.WarnContext(ctx, "trust lists are not up to date: signers that they would name stay unknown", "error", oneLine(err.Error()))
	default:
		a.Log.InfoContext(ctx, "trust lists are up to date", "changed", done.Changed, "anchors", done.Anchors)
	}
}

// makeTrustFolder makes the folder, so that the engine's sandbox opens on it before the first list is there.
func (s *Settings) makeTrustFolder() error {
	if err := os.MkdirAll(s.Trust.Dir, 0o755); err != nil { //nolint:gosec // Public data.
		return usageError{fmt.Errorf("VERACITY_TRUST_DIR is %s, which cannot be made: %w", s.Trust.Dir, err)}
	}
	return nil
}

// examineTrust is the doctor's look at the lists.
func (s *Settings) examineTrust() finding {
	const mend = "run `veracity trust update`, or mend VERACITY_TRUST_DIR"
	lists, err := certs.Load(s.Trust.Dir)
	if err != nil {
		return result("trust lists", "", err, mend)
	}
	age, ok := trust.Age(s.Trust.Dir, time.Now())
	if !ok && lists.Anchors == 0 {
		says := "none in " + s.Trust.Dir + ": signers are unknown and nothing says `real`"
		if s.Database.URL == "" {
			return finding{What: "trust lists", OK: true, Says: says + "; `veracity trust update` fetches them"}
		}
		return finding{What: "trust lists", Says: says, Mend: mend}
	}
	says := fmt.Sprintf("%d anchors of signers, %d of time-stamps, in %s", lists.Anchors, lists.StampAnchors, s.Trust.Dir)
	if !ok {
		return finding{What: "trust lists", OK: true, Says: says + ", your own alone"}
	}
	says += ", looked up " + days(age) + " ago"
	if age > staleTrust {
		return finding{What: "trust lists", Says: says, Mend: mend}
	}
	return finding{What: "trust lists", OK: true, Says: says}
}

// days is how long ago something was, in words.
func days(d time.Duration) string {
	switch {
	case d < time.Hour:
		return "less than an hour"
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

var (
	trustAge     = prometheus.NewDesc("veracity_trust_lists_age_seconds", "Since when the oldest trust list was last found fresh.", nil, nil)
	trustAnchors = prometheus.NewDesc("veracity_trust_anchors", "Anchors in the trust lists, by purpose.", []string{"purpose"}, nil)
)

// trustCollector looks at the folder when it is scraped.
type trustCollector struct{ dir string }

// Describe implements prometheus.Collector.
func (c trustCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- trustAge
	ch <- trustAnchors
}

// Collect implements prometheus.Collector. Without lists there is no age.
func (c trustCollector) Collect(ch chan<- prometheus.Metric) {
	if age, ok := trust.Age(c.dir, time.Now()); ok {
		ch <- prometheus.MustNewConstMetric(trustAge, prometheus.GaugeValue, age.Seconds())
	}
	lists, err := certs.Load(c.dir)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(trustAnchors, err)
		return
	}
	ch <- prometheus.MustNewConstMetric(trustAnchors, prometheus.GaugeValue, float64(lists.Anchors), "claims")
	ch <- prometheus.MustNewConstMetric(trustAnchors, prometheus.GaugeValue, float64(lists.StampAnchors), "time_stamps")
}
